"""One file per order: which pair to judge next. Imports from designs and above.

Pooling, MethodA, MethodB, MethodC and Difference separate runs; MoveToFront and MaxMean find
relevant documents; Random is the baseline.
"""
