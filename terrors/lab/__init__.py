"""The lab: a page in the browser, served from this machine only, in which every edit of a card is answered by games (docs/LAB.md).

    address (edits) ─▶ sheet: the set as opened with these edits, each cell checked ─▶ live_games: both sets play the same deals in threads
                                                                                     ─▶ live_answer: numbers, by the functions of `terrors compare`
    guard (token, Host, Origin) ─▶ routes ─▶ server-sent events ─▶ templates/: plain JavaScript, with the report's style sheet and viewer

The server keeps no edits: they are in the address of the page and come with every request, so that tabs do not disturb each other and nothing is lost with
the server. The only file that it writes is the card file, when *Save* says so (saving), and the run of a report that was asked for (report_job).
"""
