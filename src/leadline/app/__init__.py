"""The judging web app: projects in a database, accounts, API, pages. Core never imports it."""
