"""Programs that are run by hand: they measure, or they train the models whose results chapters store."""
