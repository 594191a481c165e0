"""The course's figures: functions of tensors that return a Picture (the only place for matplotlib)."""
