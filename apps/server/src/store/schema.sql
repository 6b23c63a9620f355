-- The view of a journal: dropped and rebuilt whenever this text or the fold is another, refused where the journal is.
-- Rows are keyed by the journal sequence of the record that made them, over several partitions counted as one (`toServiceSeq`):
-- small, in each market in order, and the same after every rebuild.
-- Indexes that only readers need say `if not exists`: they are built at once when the view has caught up, for a fraction of
-- what it takes to keep them meanwhile.
-- No foreign keys: the projector is the only writer, and the journal has been checked before.
create schema presage_view;

create table presage_view.meta (
  partition text primary key,
  -- Of these tables and of the fold that fills them.
  version text not null,
  -- Hash of the journal's first frame; null while the journal is empty.
  identity text,
  cursor bigint not null,
  -- Hash of the frame that holds the cursor; null at 0.
  head text
);

create table presage_view.markets (
  seq bigint primary key,
  id bytea not null unique,
  chain_id bigint not null,
  kind text not null,
  contract_address bytea not null,
  question text not null,
  description text not null,
  category text not null,
  maker bytea not null,
  expiration bigint not null,
  created_at bigint not null,
  settlement_address bytea not null,
  conditional_tokens bytea not null,
  stablecoin bytea not null,
  yes_token_id numeric(78) not null,
  no_token_id numeric(78) not null,
  block_number bigint not null,
  transaction_hash bytea not null,
  -- The event whose outcome it is; null for a market without one.
  event_id bytea,
  event_question text,
  event_index smallint,
  event_count smallint,
  event_name text,
  listed_ms bigint not null,
  closed_reason text,
  closed_ms bigint,
  -- What a share of YES and of NO pays, in parts of the denominator; null until the market is decided.
  yes_payout integer,
  no_payout integer,
  payout_denominator integer not null default 1000000,
  decided_ms bigint
);
create index markets_by_contract on presage_view.markets (contract_address);

-- Apart from the facts, so that a trade does not rewrite a market's texts.
create table presage_view.market_figures (
  market_seq bigint primary key,
  volume numeric not null,
  trade_count bigint not null,
  last_trade_seq bigint,
  last_price integer,
  last_outcome smallint
) with (fillfactor = 50);

-- Prices by minutes and by hours, in the terms of the outcome's own book: longer candles and rolling days are put together
-- from these, so that no read goes through the trades of a day.
create table presage_view.candles (
  market_seq bigint not null,
  outcome smallint not null,
  -- 60 or 3600.
  seconds integer not null,
  -- Unix seconds.
  start bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  open integer not null,
  high integer not null,
  low integer not null,
  close integer not null,
  volume numeric not null,
  primary key (market_seq, seconds, start, outcome)
) with (fillfactor = 70);

-- Sums over all markets of a chain.
create table presage_view.chain_figures (
  chain_id bigint primary key,
  volume numeric not null,
  trade_count bigint not null
) with (fillfactor = 50);

create table presage_view.chain_volumes (
  chain_id bigint not null,
  -- 60 or 3600.
  seconds integer not null,
  -- Unix seconds.
  start bigint not null,
  -- Of the journal: each is numbered by itself, so that only the trades of one lie close together.
  partition smallint not null,
  -- The trades of the partition in between are those of this time, and of other chains.
  first_seq bigint not null,
  last_seq bigint not null,
  volume numeric not null,
  primary key (chain_id, seconds, start, partition)
) with (fillfactor = 70);

-- What each wallet has traded by days, by weeks and in all, for those who have traded most.
create table presage_view.wallet_volumes (
  -- 86400, 604800, or 0 for all time.
  seconds integer not null,
  -- Unix seconds.
  start bigint not null,
  wallet bytea not null,
  volume numeric not null,
  trade_count bigint not null,
  primary key (seconds, start, wallet)
) with (fillfactor = 70);
create index if not exists wallet_volumes_by_volume on presage_view.wallet_volumes (seconds, start, volume desc, wallet);

create table presage_view.orders (
  seq bigint primary key,
  hash bytea not null unique,
  market_seq bigint not null,
  trader bytea not null,
  side smallint not null,
  outcome smallint not null,
  price integer not null,
  size bigint not null,
  nonce numeric(20) not null,
  expiration numeric(20) not null,
  time_in_force text not null,
  post_only boolean not null,
  self_trade_prevention text not null,
  reduce_only boolean not null,
  accepted_ms bigint not null,
  filled bigint not null,
  status text not null,
  cancel_reason text,
  updated_ms bigint not null
) with (fillfactor = 85);

create index if not exists orders_of_trader on presage_view.orders (trader, accepted_ms);

-- Cancels, restorations and results of permits; acceptance is in orders, fills in trades, moves in trade_moves.
create table presage_view.order_changes (
  order_seq bigint not null,
  seq bigint not null,
  kind text not null,
  time_ms bigint not null,
  size bigint not null,
  reason text,
  trade_seq bigint,
  permit_status text,
  tx_hash bytea
);
create unique index if not exists order_changes_of_order on presage_view.order_changes (order_seq, seq);

create table presage_view.trades (
  seq bigint primary key,
  trade_id text not null unique,
  market_seq bigint not null,
  outcome smallint not null,
  price integer not null,
  size bigint not null,
  cost bigint not null,
  taker_side smallint not null,
  maker_seq bigint not null,
  taker_seq bigint not null,
  buyer bytea not null,
  seller bytea not null,
  time_ms bigint not null,
  -- Not in an index, so that a move rewrites the row in its page and no index.
  stage text not null,
  tx_hash bytea,
  batch_index integer,
  is_batch boolean,
  attempts integer not null,
  block_number bigint,
  -- Shares the chain says were minted on sale; null until mined.
  minted bigint,
  -- Shares the seller's position counts as minted on sale.
  counted_minted bigint not null,
  reason text,
  fault_party text,
  failed_ms bigint,
  -- What the taker paid beside the price, and what of it went to the maker; null where nothing was charged.
  fee bigint,
  maker_rebate bigint
) with (fillfactor = 80);
create index if not exists trades_charged on presage_view.trades (time_ms) where fee is not null;
create index trades_of_market on presage_view.trades (market_seq, time_ms, seq);
create index if not exists trades_failed on presage_view.trades (failed_ms) where failed_ms is not null;
create index trades_of_buyer on presage_view.trades (buyer, market_seq, seq);
create index trades_of_seller on presage_view.trades (seller, market_seq, seq);
create index if not exists trades_of_maker_order on presage_view.trades (maker_seq);
create index if not exists trades_of_taker_order on presage_view.trades (taker_seq);

-- Those on their way to the chain; a table of its own, since an index over status would be rewritten with all the others.
create table presage_view.pending_trades (
  trade_seq bigint primary key
);

create table presage_view.trade_moves (
  trade_seq bigint not null,
  seq bigint not null,
  stage text not null,
  time_ms bigint not null,
  tx_hash bytea,
  attempt integer,
  block_number bigint,
  reason text,
  fault_party text
);
create unique index if not exists trade_moves_of_trade on presage_view.trade_moves (trade_seq, seq);

-- Every transaction a trade was ever sent with, so that a replaced one still leads to it.
create table presage_view.trade_transactions (
  tx_hash bytea not null,
  trade_seq bigint not null,
  batch_index integer not null,
  is_batch boolean not null,
  primary key (tx_hash, trade_seq)
);

create table presage_view.positions (
  wallet bytea not null,
  market_seq bigint not null,
  -- Below 0 while more is known to have left than to have come.
  yes_shares numeric not null,
  no_shares numeric not null,
  yes_cost numeric not null,
  no_cost numeric not null,
  yes_revenue numeric not null,
  no_revenue numeric not null,
  realized_pnl numeric not null,
  updated_ms bigint not null,
  primary key (wallet, market_seq)
) with (fillfactor = 70);
-- Not by size of holding: a fill would then touch an index, and most fills touch none.
create index if not exists positions_of_market on presage_view.positions (market_seq);

-- Shares of a market over all wallets, and what is locked for them: one unit of stablecoin for each pair of YES and NO until
-- the market is decided, from then on what its shares pay. Markets of an event share their collateral: what is locked for them follows from all
-- of them together. Kept by the triggers below, whichever statement writes positions.
create table presage_view.market_shares (
  market_seq bigint primary key,
  chain_id bigint not null,
  -- As in markets.
  event_id bytea,
  yes_shares numeric not null,
  no_shares numeric not null,
  -- As in markets.
  yes_payout integer,
  no_payout integer,
  payout_denominator integer not null,
  -- Until it is decided, shares are made and unmade in pairs: the outcome of which more is held tells how many there are.
  locked numeric not null generated always as (case when yes_payout is null then greatest(yes_shares, no_shares)
    else div(yes_shares * yes_payout + no_shares * no_payout, payout_denominator) end) stored
) with (fillfactor = 50);
create index market_shares_by_locked on presage_view.market_shares (locked desc, market_seq) where locked > 0 and event_id is null;
create index market_shares_locked on presage_view.market_shares (chain_id) include (locked) where locked > 0 and event_id is null;
create index market_shares_of_event on presage_view.market_shares (event_id) where event_id is not null;

create function presage_view.add_shares() returns trigger language plpgsql as $$
begin
  insert into presage_view.market_shares
      (market_seq, chain_id, event_id, yes_shares, no_shares, yes_payout, no_payout, payout_denominator)
    select m.seq, m.chain_id, m.event_id, added.yes, added.no, m.yes_payout, m.no_payout, m.payout_denominator from (
      select market_seq, sum(yes_shares) as yes, sum(no_shares) as no from new_rows group by market_seq
    ) added join presage_view.markets m on m.seq = added.market_seq
  on conflict (market_seq) do update set yes_shares = market_shares.yes_shares + excluded.yes_shares,
    no_shares = market_shares.no_shares + excluded.no_shares;
  return null;
end $$;

create function presage_view.change_shares() returns trigger language plpgsql as $$
begin
  update presage_view.market_shares s set yes_shares = s.yes_shares + changed.yes, no_shares = s.no_shares + changed.no
  from (
    select market_seq, sum(yes) as yes, sum(no) as no from (
      select market_seq, yes_shares as yes, no_shares as no from new_rows
      union all select market_seq, -yes_shares, -no_shares from old_rows
    ) each_way group by market_seq having sum(yes) <> 0 or sum(no) <> 0
  ) changed where s.market_seq = changed.market_seq;
  return null;
end $$;

create function presage_view.take_shares() returns trigger language plpgsql as $$
begin
  update presage_view.market_shares s set yes_shares = s.yes_shares - taken.yes, no_shares = s.no_shares - taken.no
  from (
    select market_seq, sum(yes_shares) as yes, sum(no_shares) as no from old_rows group by market_seq
  ) taken where s.market_seq = taken.market_seq;
  return null;
end $$;

create function presage_view.set_payouts() returns trigger language plpgsql as $$
begin
  update presage_view.market_shares set yes_payout = new.yes_payout, no_payout = new.no_payout,
    payout_denominator = new.payout_denominator where market_seq = new.seq;
  return null;
end $$;

create trigger shares_added after insert on presage_view.positions
  referencing new table as new_rows for each statement execute function presage_view.add_shares();
create trigger shares_changed after update on presage_view.positions
  referencing old table as old_rows new table as new_rows for each statement execute function presage_view.change_shares();
create trigger shares_taken after delete on presage_view.positions
  referencing old table as old_rows for each statement execute function presage_view.take_shares();
create trigger payouts_set after update of yes_payout, no_payout on presage_view.markets
  for each row execute function presage_view.set_payouts();

-- What the chain said of a wallet's shares apart from its trades, to compute a position anew from: balances that were read
-- (cause sync), and moves (transfer, split, merge, conversion, redemption), whose shares are below 0 when they went.
create table presage_view.share_events (
  wallet bytea not null,
  market_seq bigint not null,
  seq bigint not null,
  cause text not null,
  block_number bigint not null,
  yes_shares numeric not null,
  no_shares numeric not null,
  payout numeric not null,
  winning_outcome smallint,
  tx_hash bytea,
  log_index integer,
  timestamp bigint,
  -- Of a market of an event: how many outcomes that has.
  outcome_count smallint,
  -- Of a conversion: which outcome this is, of which outcomes shares went and came as bit sets, the collateral that came, what the shares of this
  -- market that went had cost, and what they brought or, where shares came, what those cost.
  outcome_index smallint,
  gave numeric,
  got numeric,
  freed numeric,
  cost_given numeric,
  carried numeric,
  primary key (wallet, market_seq, seq)
);
create index share_events_converted on presage_view.share_events (wallet, tx_hash) where cause = 'conversion';
create index share_events_by_block on presage_view.share_events (block_number);
create index if not exists share_events_redeemed on presage_view.share_events (timestamp, seq) where cause = 'redemption';

-- Redemptions that went through the relayer, each market of a batch for itself.
create table presage_view.claims (
  claim_id text not null,
  market_seq bigint not null,
  seq bigint not null,
  tx_hash bytea not null,
  wallet bytea not null,
  market_address bytea not null,
  payout numeric not null,
  winning_outcome smallint not null,
  submitted_at bigint not null,
  status text not null,
  reason text,
  primary key (claim_id, market_seq)
);
create index if not exists claims_by_status on presage_view.claims (status, submitted_at, seq);
create index if not exists claims_of_wallet on presage_view.claims (wallet);
create index if not exists claims_by_time on presage_view.claims (submitted_at, seq) where status <> 'confirmed';

-- What a position's oldest facts came to, up to a sequence below which all its trades are confirmed: a position with a long
-- past is computed anew from here.
create table presage_view.position_keyframes (
  wallet bytea not null,
  market_seq bigint not null,
  seq bigint not null,
  -- The highest block of those trades and of what was said among them.
  block_number bigint not null,
  yes_shares numeric not null,
  no_shares numeric not null,
  yes_cost numeric not null,
  no_cost numeric not null,
  yes_revenue numeric not null,
  no_revenue numeric not null,
  realized_pnl numeric not null,
  primary key (wallet, market_seq)
);
