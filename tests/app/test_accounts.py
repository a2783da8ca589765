"""Secrets let in whom they should, as long as they should; none of them is kept as it is."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from leadline.app.accounts import (
    INVITED_SECONDS,
    LONGEST,
    MOST_TOKENS,
    SIGNED_IN_SECONDS,
    Accounts,
    Person,
    check_name,
    same,
)
from leadline.app.database import Database
from leadline.app.room import ActionRefused
from tests.app.rooms import Clock
from tests.app.visitors import with_quick_hashes

PASSWORD = "long enough for it"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(clock: Clock) -> Iterator[Accounts]:
    database = Database("sqlite://")
    yield with_quick_hashes(Accounts(database, clock))
    database.close()


@pytest.mark.parametrize(("given", "kept"), [(" ann  lee ", "ann lee"), ("\tZoë\n", "Zoë")])
def test_a_name_is_kept_without_stray_space(given: str, kept: str) -> None:
    assert check_name(given) == kept


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "a\u202eb", "x" * (LONGEST + 1)])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ActionRefused, match="a name has 1 to"):
        check_name(name)


def test_a_name_is_taken_once(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    assert accounts.find("ann") == ann == accounts.ensure(" ann ", "organiser")
    with pytest.raises(ActionRefused, match="somebody named ann already"):
        accounts.add("ann ", "organiser")
    accounts.add("llm", "assessor", "machine")
    assert [(each.name, each.kind) for each in accounts.everyone()] == [
        ("ann", "person"),
        ("llm", "machine"),
    ]


def test_a_secret_is_for_one_use_and_of_one_person(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    cookie, token = accounts.sign_in(ann), accounts.token(ann)
    entered = accounts.enter("account", cookie)
    assert entered is not None
    assert entered.person == ann
    assert accounts.enter("token", cookie) is None
    assert accounts.enter("account", token) is None
    assert accounts.enter("account", cookie + "x") is None
    assert accounts.enter("account", "\ud800") is None


@pytest.mark.parametrize(
    ("use", "lifetime"), [("account", SIGNED_IN_SECONDS), ("invitation", INVITED_SECONDS)]
)
def test_a_secret_lapses(accounts: Accounts, clock: Clock, use: str, lifetime: float) -> None:
    ann = accounts.add("ann", "assessor")
    secret = accounts.sign_in(ann) if use == "account" else accounts.invite(ann)
    clock.now += lifetime
    assert accounts.enter(use, secret) is not None
    clock.now += 1
    assert accounts.enter(use, secret) is None


def test_a_secret_that_is_forgotten_lets_nobody_in(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    first, second = accounts.sign_in(ann), accounts.sign_in(ann)
    assert accounts.enter("account", first) is not None
    accounts.forget("account", first)
    assert accounts.enter("account", first) is None
    assert accounts.enter("account", second) is not None


def test_who_is_closed_is_out_with_every_secret(accounts: Accounts) -> None:
    accounts.add("ann", "assessor")
    bob, ann = accounts.add("bob", "assessor"), accounts.set_password("ann", PASSWORD)
    secrets = {use: accounts._issue(use, ann, 60.0) for use in ("account", "token")}
    assert accounts.enter("account", secrets["account"]) is not None
    other = accounts.sign_in(bob)
    accounts.close("ann")
    assert all(accounts.enter(use, secret) is None for use, secret in secrets.items())
    assert accounts.enter("account", other) is not None
    assert accounts.check_password("ann", PASSWORD) is None
    assert accounts.welcome("ann", "assessor") == ann
    assert all(accounts.enter(use, secret) is None for use, secret in secrets.items())
    assert accounts.check_password("ann", PASSWORD) == ann
    with pytest.raises(ActionRefused, match="nobody named cid"):
        accounts.close("cid")


def test_a_reset_leaves_nothing_but_the_new_link(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    old = accounts.invite(ann)
    ann = accounts.set_password("ann", PASSWORD)
    cookie, token = accounts.sign_in(ann), accounts.token(ann)
    entered = accounts.enter("account", cookie)
    assert entered is not None
    assert accounts.look_up(entered.use, entered.hash) is not None
    accounts.close("ann")
    link = accounts.reset(ann)
    assert accounts.look_up(entered.use, entered.hash) is None
    assert accounts.enter("account", cookie) is None
    assert accounts.enter("token", token) is None
    assert accounts.enter("invitation", old) is None
    assert accounts.check_password("ann", PASSWORD) is None
    entered = accounts.enter("invitation", link)
    assert entered is not None
    again = accounts.invite(entered.person)
    assert accounts.enter("invitation", again) is not None
    # The first of two links was looked up a moment ago, and is worth nothing all the same.
    assert not accounts.forget("invitation", link)


def test_tokens_are_withdrawn_and_nothing_else(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    cookie, tokens = accounts.sign_in(ann), [accounts.token(ann), accounts.token(ann)]
    entered = accounts.enter("token", tokens[0])
    assert entered is not None
    assert accounts.withdraw("ann") == 2
    assert [accounts.enter("token", token) for token in tokens] == [None, None]
    assert accounts.look_up(entered.use, entered.hash) is None
    assert accounts.enter("account", cookie) is not None
    assert accounts.withdraw("ann") == 0


@pytest.mark.parametrize("use", ["account", "token", "invitation", "device"])
def test_a_new_password_ends_every_secret_of_before(accounts: Accounts, use: str) -> None:
    accounts.add("ann", "assessor")
    ann = accounts.set_password("ann", PASSWORD)
    secret = accounts._issue(use, ann, 60.0)
    assert accounts.enter(use, secret) is not None
    accounts.set_password("ann", PASSWORD + " now")
    assert accounts.enter(use, secret) is None


@pytest.mark.parametrize("shut", ["close", "reset", "set_password"])
def test_who_signs_in_while_being_shut_out_does_not_stay(accounts: Accounts, shut: str) -> None:
    """The password was checked before, the cookie is made after."""
    accounts.add("ann", "assessor")
    accounts.set_password("ann", PASSWORD)
    ann = accounts.check_password("ann", PASSWORD)
    assert ann is not None
    link = accounts.reset(ann) if shut == "reset" else None
    if shut != "reset":
        getattr(accounts, shut)("ann", *([PASSWORD + " new"] if shut == "set_password" else []))
    assert accounts.enter("account", accounts.sign_in(ann)) is None
    assert accounts.enter("token", accounts.token(ann)) is None
    assert link is None or accounts.enter("invitation", link) is not None


def test_a_link_claimed_before_a_reset_sets_no_password(accounts: Accounts) -> None:
    ann = accounts.add("ann", "assessor")
    entered = accounts.enter("invitation", accounts.invite(ann))
    assert entered is not None
    accounts.reset(ann)
    with pytest.raises(ActionRefused, match="with this link any more"):
        accounts.set_password("ann", PASSWORD, entered.person.generation)
    assert accounts.check_password("ann", PASSWORD) is None


def test_a_token_made_without_sign_in_is_none_where_accounts_are_demanded(
    accounts: Accounts,
) -> None:
    ann = accounts.add("ann", "organiser")
    without, with_ = accounts.token(ann, "open token"), accounts.token(ann)
    assert accounts.enter("token", without) is None
    assert accounts.enter("open token", without) is not None
    assert accounts.enter("open token", with_) is not None
    assert accounts.withdraw("ann") == 2


def test_what_another_process_ended_is_known_at_once(accounts: Accounts) -> None:
    cookie = accounts.sign_in(accounts.add("ann", "assessor"))
    assert accounts.enter("account", cookie) is not None
    with accounts.engine.begin() as connection:
        connection.execute(text("DELETE FROM secret"))
    assert accounts.enter("account", cookie) is None


def test_only_the_password_lets_in(accounts: Accounts) -> None:
    accounts.add("ann", "organiser")
    assert accounts.check_password("ann", "") is None
    with pytest.raises(ActionRefused, match="at least 10 characters"):
        accounts.set_password("ann", "short")
    assert not accounts.has_organiser()
    accounts.set_password("ann", PASSWORD)
    assert accounts.has_organiser()
    assert accounts.check_password("ann", PASSWORD) == Person("ann", "organiser")
    assert accounts.check_password("ann", PASSWORD + "x") is None
    assert accounts.check_password("bob", PASSWORD) is None
    accounts.close("ann")
    assert not accounts.has_organiser()
    assert accounts.check_password("ann", PASSWORD) is None


def test_nothing_that_lets_in_is_kept_as_it_is(accounts: Accounts) -> None:
    accounts.add("ann", "assessor")
    ann = accounts.set_password("ann", PASSWORD)
    secrets = [PASSWORD, accounts.sign_in(ann), accounts.token(ann), accounts.invite(ann)]
    with accounts.engine.connect() as connection:
        kept = "".join(
            str(row)
            for table in ("person", "secret")
            for row in connection.execute(text(f"SELECT * FROM {table}"))
        )
    assert "argon2" in kept
    assert not any(secret in kept for secret in secrets)


def test_secrets_are_compared_whole() -> None:
    assert same("é", "é")
    assert not same("a", "ab")
    assert not same("", "a")


def test_tokens_of_one_person_do_not_grow_without_end(accounts: Accounts) -> None:
    ann, ben = accounts.add("ann", "assessor"), accounts.add("ben", "assessor")
    for _ in range(MOST_TOKENS):
        accounts.token(ann)
    with pytest.raises(ActionRefused, match="20 tokens already"):
        accounts.token(ann)
    assert accounts.token(ben)
    assert accounts.withdraw("ann") == MOST_TOKENS
    assert accounts.token(ann)
