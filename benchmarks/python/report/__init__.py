"""The report: match runs, single operations and end-to-end measurements as one page that needs no network.

`plan` says what is measured, `running` starts the programs that measure, `results` reads what they wrote, and `page`
writes it: `charts_*` over `svg` draw, `tables` and `findings` say in numbers and words what the charts show. Nothing
here times anything.
"""
