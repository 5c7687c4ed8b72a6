"""Mutation testing: change the library in one place at a time, and count the changes that the tests find.

A *mutant* is a copy of the library with one change: a comparison turned round, an operand or an argument left out, a number or a value of
an upstream table changed. The tests *kill* the mutant when one of them fails. A survivor is a behaviour that no test holds, dead code, or a
change that changes nothing: the last kind stands in `equivalent.txt` with its reason, is not run, and is counted apart.

The sample is the same for the same seed and source. Each room (folder of the library) gives the same number of mutants, each operator in
turn. Mutants live in temporary copies of the repository; the repository itself is only read.
"""
