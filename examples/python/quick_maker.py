"""A market maker for 15-minute markets: quotes each window, redeems its winnings, and continues with the next.

    python3 examples/python/quick_maker.py [url] [windows]

Needs Python 3.9 and nothing else. Reads types, domains and addresses from GET /api/v1/config, and the key from PRESAGE_BOT_KEY.
"""
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

from ethereum import Wallet

ASSET = "BTC"
SIZE = 10_000_000  # ten shares
BID, ASK = 450_000, 550_000  # 0.45 and 0.55
UNLIMITED = 2**256 - 1
ZERO_ADDRESS = "0x" + "00" * 20
TOP_LEVEL = "0x" + "00" * 32
FUNDS = 1_000_000_000
AGAIN_SECONDS = 1
LONGEST_WAIT_SECONDS = 60  # an exhausted budget of the relayer takes longer: the bot does not leave its markets for that
LATE = ("market_closed", "expiration_too_soon")  # refusals if the service was unreachable until the window was over


class Refused(Exception):
    def __init__(self, code, sentence):
        super().__init__("%s: %s" % (code, sentence))
        self.code = code


class Unanswered(Exception):
    """The request got no answer, or only a temporary failure: the same request may succeed later."""

    def __init__(self, reason, wait=AGAIN_SECONDS):
        super().__init__(str(reason))
        self.wait = wait


def failure(error):
    """Turns an error response into an exception. A proxy may answer with a page of its own instead of JSON."""
    try:
        body = json.load(error)
        code, sentence = body["code"], body["error"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        code, sentence = "unexpected_answer", "%s %s" % (error.code, error.reason)
    after = error.headers.get("Retry-After", "")
    wait = max(AGAIN_SECONDS, int(after) if after.isdigit() else 0)
    may_pass = error.code in (425, 429) or error.code >= 500
    return Unanswered(sentence, wait) if may_pass and wait <= LONGEST_WAIT_SECONDS else Refused(code, sentence)


class Bot:
    def __init__(self, url, key):
        self.url = url
        self.wallet = Wallet(key)
        self.config = self.ask("GET", "/api/v1/config")
        self.chain = self.config["chains"][0]
        self.nonce = int(time.time() * 1_000) << 20

    def ask(self, method, path, body=None):
        """Repeats the request until the service answers it. That is safe: a signed request takes effect once, however often it is sent."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        tries = 0
        while True:
            try:
                answer = self.send(request)
                if tries > 0:
                    say("reached")
                return answer
            except Unanswered as unanswered:
                if tries == 0:
                    say("waiting", error=str(unanswered))
                tries += 1
                time.sleep(unanswered.wait)

    def send(self, request):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise failure(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise Unanswered(error) from None
        except ValueError:
            raise Unanswered("the answer is not JSON") from None

    def now(self):
        """Time of the service's clock, which decides about expiry and which a sandbox can move."""
        return self.ask("GET", "/api/v1/time")["now"]

    def sign(self, name, message):
        place = self.chain[self.config["signingDomains"][name]]
        domain = {
            "name": place["name"],
            "version": place["version"],
            "chainId": self.chain["chainId"],
            "verifyingContract": place["address"],
        }
        return self.wallet.sign_typed(domain, name, self.config["types"][name], message)

    def relay(self, operation, name, message, contract, fields, nonce=None):
        """Signs and posts one gasless call, by default with the next nonce of the contract."""
        owner, chain_id = self.wallet.address, self.chain["chainId"]
        if nonce is None:
            nonce = self.ask("GET", "/api/v1/contracts/nonce/%s/%s?chain_id=%d" % (contract, owner, chain_id))["nonce"]
        deadline = self.now() + 3_600
        r, s, v = self.sign(name, {**message, "owner": owner, "nonce": nonce, "deadline": deadline})
        signed = {"chainId": chain_id, "owner": owner, "deadline": str(deadline), "v": v, "r": r, "s": s}
        return self.ask("POST", "/api/v1/relayer/" + operation, {**fields, **signed})

    def prepare(self):
        """Gets test money in a sandbox, and gives the two approvals that trading needs, by signature and without gas."""
        here = "/api/v1/users/%s/" % self.wallet.address
        chain = "?chain_id=%d" % self.chain["chainId"]
        if self.config["sandbox"] and int(self.ask("GET", here + "balances" + chain)["balance"]) < FUNDS:
            self.ask("POST", "/sandbox/fund", {"address": self.wallet.address, "amount": FUNDS})
        approvals = self.ask("GET", here + "approvals" + chain)["settlement"]
        settlement = self.chain["settlement"]["address"]
        if int(approvals["allowance"]) < FUNDS:
            permit = {"spender": settlement, "value": UNLIMITED}
            fields = {"spender": settlement, "value": str(UNLIMITED)}
            self.relay("stablecoin-permit", "Permit", permit, self.chain["stablecoin"]["address"], fields)
        if not approvals["sharesApproved"]:
            grant = {"operator": settlement, "approved": True}
            tokens = self.chain["conditionalTokens"]["address"]
            self.relay("ctf-approval", "SetApprovalForAll", grant, tokens, grant)

    def active(self):
        while True:
            answer = self.ask("GET", "/api/v1/quick-markets/%s?interval=15" % ASSET)
            if answer["active"]:
                return answer["quickMarket"]
            time.sleep(0.5)

    def quote(self, market, side, price):
        self.nonce += 1
        order = {
            "marketId": market["marketId"],
            "trader": self.wallet.address,
            "side": side,
            "outcome": 0,
            "price": price,
            "size": SIZE,
            "nonce": self.nonce,
            "expiration": market["endTime"] + 3_600,
            "makerFeeRecipient": ZERO_ADDRESS,
        }
        r, s, v = self.sign("Order", order)
        body = {"order": order, "signature": r + s[2:] + "%02x" % v, "selfTradePrevention": "cancel_resting"}
        try:
            self.ask("POST", "/api/v1/orders", body)
        except Refused as refused:
            if refused.code not in LATE:
                raise
            say("late", market=market["marketId"], code=refused.code)

    def clear(self, market):
        """Cancels only this market's orders, so that a bot may quote several markets."""
        trader = self.wallet.address
        left = self.ask("GET", "/api/v1/orders?trader=%s&market_id=%s" % (trader, market["marketId"]))["orders"]
        for order in left:
            path = "/api/v1/orders/%s?marketId=%s" % (order["orderHash"], market["marketId"])
            try:
                self.ask("DELETE", path)
            except Refused as refused:
                if refused.code not in ("order_not_open", "market_closed"):
                    raise

    def claim(self):
        """Redeems all decided markets one after another, and returns the payout. Markets that fail are left for the next call."""
        here = "/api/v1/users/%s/" % self.wallet.address
        chain = "?chain_id=%d" % self.chain["chainId"]
        tokens, paid = self.chain["conditionalTokens"]["address"], 0
        payouts = {}
        for each in self.ask("GET", here + "claimable" + chain)["claimable"]:
            payouts[each["market_id"]] = payouts.get(each["market_id"], 0) + int(each["payout"])
        for market, payout in sorted(payouts.items()):
            redeemed = False
            for entry in self.ask("GET", here + "claim-data" + chain + "&markets=" + market)["markets"]:
                nonce = self.ask("GET", here + "claim-data" + chain + "&markets=" + market)["markets"][0]["ctf_nonce"]
                fields = {
                    "collateralToken": entry["collateral_token"],
                    "parentCollectionId": TOP_LEVEL,
                    "conditionId": entry["condition_id"],
                    "indexSets": [1 << entry["winning_outcome"]],
                    "marketAddress": entry["market_address"],
                }
                try:
                    self.relay("ctf-redemption", "RedeemPositions", fields, tokens, fields, nonce)
                except Refused as refused:
                    if refused.code != "nothing_to_redeem":
                        say("unclaimed", market=market, error=str(refused))
                    continue
                redeemed = True
            # A void market has one entry for each outcome, and each pays half.
            paid += payout if redeemed else 0
        return paid

    def run_window(self):
        market = self.active()
        self.clear(market)
        self.quote(market, 0, BID)
        self.quote(market, 1, ASK)
        say("quoting", market=market["marketId"], end=market["endTime"])
        while self.now() < market["endTime"]:
            time.sleep(0.3)
        paid = 0
        # The window is decided a few seconds after its end; without a fill there is nothing to claim.
        for _ in range(100):
            resolved = self.ask("GET", "/api/v1/markets/" + market["marketId"])["resolved"]
            if resolved:
                paid = self.claim()
                break
            time.sleep(0.3)
        say("claimed", market=market["marketId"], paid=paid)


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main():
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
    windows = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    bot = Bot(url, os.environ.get("PRESAGE_BOT_KEY", "0x" + "b7" * 32))
    bot.prepare()
    # Claims the winnings that an earlier run left.
    say("started", wallet=bot.wallet.address, paid=bot.claim())
    done = 0
    while windows == 0 or done < windows:
        bot.run_window()
        done += 1
    say("done", windows=done)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
