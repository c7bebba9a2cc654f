"""The three own levels (`kernel`, `word`, `vliw`) and the `vliw.*` attributes (`facts`)."""
