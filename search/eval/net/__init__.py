"""The learned evaluation: a net of one hidden layer, whose inputs follow from the rules."""
