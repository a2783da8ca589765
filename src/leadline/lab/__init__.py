"""Experiments on the methods themselves: papers reproduced, methods against the truth."""
