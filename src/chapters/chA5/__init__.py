"""Appendix A5, many machines."""
