"""How a report is written: for people, for programs, and for the places where code is reviewed."""
