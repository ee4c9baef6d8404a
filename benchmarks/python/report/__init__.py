"""Measures, and writes the page of the results.

`plan` names the programs to run and `running` runs them; `results` reads what they write. `delivery` puts the daemon's
encoding and a reader's decoding together; `front` makes the first screen of it; `sizes`, `languages`, `levels`, `http`,
`wire`, `posts` and `method` make a section each, of charts (`charts_*` over `svg`) and tables. `page` joins them.
"""
