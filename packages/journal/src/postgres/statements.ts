// The tables of a journal in PostgreSQL and every statement on them: nothing above READ COMMITTED, no advisory lock, no LISTEN.

export const TABLES: readonly string[] = [
  `create table if not exists journal_frames (
    part text not null, first_seq bigint not null, last_seq bigint not null, epoch bigint not null,
    hash bytea not null, frame bytea not null, primary key (part, first_seq))`,
  `create table if not exists journal_leases (
    part text primary key, epoch bigint not null, owner text not null, address text not null, expires timestamptz not null)`,
  `create table if not exists journal_checkpoints (
    part text not null, seq bigint not null, state_hash text not null, body bytea not null, primary key (part, seq))`,
];

/** Adds the row of a lease that nobody holds yet. */
export const ADD_LEASE = `insert into journal_leases (part, epoch, owner, address, expires)
  values ($1, 0, '', '', '-infinity') on conflict (part) do nothing`;

/** Uses the database's clock, so that the nodes' clocks do not matter. */
export const TAKE_LEASE = `update journal_leases
  set epoch = epoch + 1, owner = $2, address = $3, expires = clock_timestamp() + $4 * interval '1 millisecond'
  where part = $1 and expires < clock_timestamp() returning epoch::text`;

export const RENEW_LEASE = `update journal_leases set expires = clock_timestamp() + $3 * interval '1 millisecond'
  where part = $1 and owner = $2 returning epoch::text`;

/** Waits for a running statement of the previous epoch, and keeps one that has not started from taking effect. */
export const RAISE_EPOCH = `update journal_leases
  set epoch = greatest(epoch + 1, $4), expires = clock_timestamp() + $3 * interval '1 millisecond'
  where part = $1 and owner = $2 returning epoch::text`;

/** Passes the lease to another node, which owns it from then on: statements of the previous owner are rejected. */
export const PASS_ON_LEASE = `update journal_leases
  set epoch = epoch + 1, owner = $4, address = $5, expires = clock_timestamp() + $3 * interval '1 millisecond'
  where part = $1 and owner = $2 returning epoch::text`;

/** Keeps the epoch, which only ever grows. */
export const RELEASE_LEASE = `update journal_leases set expires = '-infinity', owner = '', address = '' where part = $1 and owner = $2`;

export const READ_LEASE = `select owner, address, epoch::text, expires > clock_timestamp() as held from journal_leases where part = $1`;

/**
 * Appends one frame to each of several partitions; returns those written. Locks the leases for the length of the
 * statement, so that an append and a change of owner never overlap. Compares the owner in addition to the epoch, and
 * the previous frame with the last one in the table: a database that went back has issued epochs twice, and must not be
 * written over a gap. A frame that is refused, or whose sequence is taken, is left out without affecting the others.
 */
export const APPEND = `insert into journal_frames (part, first_seq, last_seq, epoch, hash, frame)
  select given.part, given.first_seq, given.last_seq, given.epoch, given.hash, given.frame
  from unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bytea[], $6::text::bytea[],
    $7::text::text[], $8::text::bytea[]) as given(part, first_seq, last_seq, epoch, hash, frame, owner, previous)
  where exists (select 1 from journal_leases held
      where held.part = given.part and held.epoch = given.epoch and held.owner = given.owner for share)
    and (select hash from journal_frames newest where newest.part = given.part order by first_seq desc limit 1)
      is not distinct from given.previous
  on conflict do nothing returning part`;

/** A frame of another journal, with its own epoch. */
export const ADOPT = `insert into journal_frames (part, first_seq, last_seq, epoch, hash, frame)
  select $1::text, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::bytea
  where exists (select 1 from journal_leases where part = $1::text and epoch = $7::bigint for share)
  returning first_seq`;

export const LIST_PARTITIONS = 'select distinct part from journal_frames order by part';

export const READ_TAIL = `select last_seq::text, hash, frame from journal_frames
  where part = $1 order by first_seq desc limit 1`;

/** Frames from the one that holds $2 to the one that ends at $3. */
export const READ_FRAMES = `select frame from journal_frames
  where part = $1 and last_seq <= $3 and first_seq >= coalesce(
    (select first_seq from journal_frames where part = $1 and first_seq <= $2 order by first_seq desc limit 1), 1)
  order by first_seq limit $4`;

/** The hash of the frame that holds $2, without its bytes, and all later frames. */
export const READ_NEW_FRAMES = `select last_seq::text, hash, case when first_seq > $2 then frame end as frame from journal_frames
  where part = $1 and first_seq >= coalesce(
    (select first_seq from journal_frames where part = $1 and first_seq <= $2 order by first_seq desc limit 1), 1)
  order by first_seq limit $3`;

export const READ_FIRST_HASH = 'select hash from journal_frames where part = $1 and first_seq = 1';

export const READ_FRAME_HASH = `select hash from journal_frames
  where part = $1 and first_seq <= $2 and last_seq = $2 order by first_seq desc limit 1`;

export const WRITE_CHECKPOINT = `insert into journal_checkpoints (part, seq, state_hash, body) values ($1, $2, $3, $4)
  on conflict (part, seq) do update set state_hash = excluded.state_hash, body = excluded.body`;

export const DROP_CHECKPOINTS = `delete from journal_checkpoints where part = $1 and seq not in
  (select seq from journal_checkpoints where part = $1 order by seq desc limit $2)`;

export const READ_CHECKPOINT = `select seq::text, state_hash, body from journal_checkpoints
  where part = $1 order by seq desc limit 1`;

/** The newest checkpoint up to a sequence. */
export const READ_CHECKPOINT_UP_TO = `select seq::text, state_hash, body from journal_checkpoints
  where part = $1 and seq <= $2 order by seq desc limit 1`;

/** Owners of all partitions, by the database's clock. */
export const READ_LEASES = `select part, address, epoch::text,
    case when expires > clock_timestamp() then ceil(extract(epoch from expires - clock_timestamp()) * 1000)::int else 0 end as held_ms
  from journal_leases order by part`;

/** Tables in which nodes find each other. */
export const NODE_TABLES: readonly string[] = [
  `create table if not exists cluster_nodes (
    address text primary key, link_address text not null, roles text not null, positions text not null, seen timestamptz not null)`,
];

export const BEAT_NODE = `insert into cluster_nodes (address, link_address, roles, positions, seen)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (address) do update set link_address = excluded.link_address, roles = excluded.roles,
    positions = excluded.positions, seen = excluded.seen`;

export const READ_NODES = `select address, link_address, roles, positions from cluster_nodes
  where seen > clock_timestamp() - $1 * interval '1 millisecond' order by address`;

export const FORGET_NODE = 'delete from cluster_nodes where address = $1';

/** Removes nodes that have been silent for long. */
export const SWEEP_NODES = `delete from cluster_nodes where seen < clock_timestamp() - interval '1 day'`;
