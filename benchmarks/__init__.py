"""Programs to run by hand: they measure time or loss, or train models whose results a chapter stores."""
