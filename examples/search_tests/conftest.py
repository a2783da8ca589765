"""The collection of the tests: Leadline's demo stands in for your own folder."""

from search import COLLECTION

from leadline.api.demo import copy_collection

if not COLLECTION.exists():
    copy_collection(COLLECTION)
