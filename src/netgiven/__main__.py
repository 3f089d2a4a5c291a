"""python -m netgiven"""

from netgiven.cli.main import main

main()
