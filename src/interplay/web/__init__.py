"""What you look at: a local site over a store; pages of boards, runs and conversations, labelling and play."""
