/**
 * The clock of the database and the start of its server, as sequences: what is set is seen at once by every transaction.
 * The search path finds these functions before those of the server.
 */
export const clockStatements: readonly string[] = [
  'create sequence virtual_now',
  'create sequence virtual_start',
  `create function clock_timestamp() returns timestamptz language sql volatile
   as 'select to_timestamp(last_value / 1000.0) from virtual_now'`,
  `create function pg_postmaster_start_time() returns timestamptz language sql volatile
   as 'select to_timestamp(last_value) from virtual_start'`,
]
