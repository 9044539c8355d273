import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownViews } from '../../../src/checks/own/views.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from '../../../src/evaluate/own-query.ts'
import { twoTenants } from '../../store/support/two-tenants.ts'
import { removeRecords } from '../../support/removal.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { onPostgres } from '../../support/test-database.ts'
import { now } from '../support/facts.ts'
import { alarmQuery, endless, ownQuery, sandboxQueries } from '../support/own-queries.ts'

const failed = (problem: unknown) => ({ kind: 'failed', problem })

type Ask = (text: string, more?: Partial<OwnQuery>) => Promise<OwnAnswer | NoAnswer>

/** Asks about the records of two tenants. */
async function world() {
  const test = await twoTenants()
  const queries = sandboxQueries()
  const askOf =
    (tenantId: number): Ask =>
    (text, more) =>
      queries.ask(test.mirror, tenantId, ownQuery(text, more))
  return { ...test, queries, ask: askOf(test.acme), askGlobex: askOf(test.globex), askOf }
}

it('shows every view with every column that it names, of one tenant alone', async () => {
  const { ask, askGlobex } = await world()
  const askAll = async (one: Ask) => {
    const answers: string[] = []
    for (const { name, columns } of ownViews) {
      const all = columns.map((column) => `"${column.name}"`)
      const answer = await one(alarmQuery(`json_array(${all.join(', ')})`, `from ${name}`))
      expect(answer, name).toMatchObject({ kind: 'answered', alarms: expect.arrayContaining([expect.anything()]) })
      answers.push(JSON.stringify(answer))
    }
    return answers.join()
  }
  expect(await askAll(ask)).not.toContain('globex')
  expect(await askAll(askGlobex)).not.toContain('acme')
  const alarms = [['acme 3', 'seen']]
  expect(await ask(alarmQuery("lastName || ' ' || count(*)", 'from users'))).toMatchObject({ alarms })
  const ofRoles = [['Api_Users_Read', 'seen']]
  expect(await ask(alarmQuery('code', 'from role_permissions'))).toMatchObject({ alarms: ofRoles })
})

it('shows live records only, with the time of the evaluation and the name of the tenant', async () => {
  const { mirror, acme, query: look, ask } = await world()
  const [first] = look('select rid from users where tenant_id = ? and user_id = 1', acme)
  await removeRecords(mirror, { tenantId: acme, resource: 'users', at: now, removedAt: now, requestId: 'req-2' }, [
    Number(first?.['rid']),
  ])
  const times = "sum(createdAtMs < :now) || ' ' || typeof(:now) || ' ' || :tenant"
  expect(await ask(alarmQuery(times, 'from users'))).toMatchObject({ alarms: [['2 integer acme', 'seen']] })
})

const ok = ", 'ok' as status, '' as reason"

const beyond = [
  ['a table of the mirror', 'select count(*) as entity from findings'],
  ['a table of the mirror, counted', `select count(*) as entity${ok} from check_states`],
  ['a table of the mirror in a subquery', 'select (select group_concat(name) from tenants) as entity'],
  ['a column of the mirror', 'select tenant_id as entity from main.users'],
  ['a column of the mirror behind a with', 'with users as (select rid as entity from main.users) select * from users'],
  ['the schema', 'select sql as entity from sqlite_master'],
  ['the temporary schema', 'select sql as entity from sqlite_temp_master'],
  ['the pages of the database', 'select name as entity from dbstat'],
  ['an extension', "select load_extension('/tmp/x.so') as entity"],
  ['a file that is written', "select writefile('COPY', 'x') as entity"],
  ['a file that is read', "select readfile('/etc/passwd') as entity"],
  ['chance', 'select random() as entity'],
  ['deletion', 'delete from main.users'],
  ['insertion', "insert into main.users (userId) values ('9')"],
  ['a change', 'update main.users set email = null'],
  ['a new table', 'create table main.mine (x)'],
  ['a temporary table', 'create temp table mine as select * from users'],
  ['a trigger', 'create temp trigger t after insert on users begin select 1; end'],
  ['a pragma', 'pragma writable_schema = 1'],
  ['the pragma that allows writes', 'pragma query_only = off'],
  ['another database', "attach 'COPY' as other"],
  ['the mirror', "attach 'MIRROR' as mirror"],
  ['a copy', "vacuum into 'COPY'"],
  ['a transaction', 'begin immediate'],
] as const

it('refuses whatever is not a SELECT from the views', async () => {
  const { ask, path, query: look } = await world()
  const copy = join(temporaryFolder(), 'copy.db')
  const file = () => (onPostgres ? '' : readFileSync(path).toString('base64'))
  const before = file()
  for (const [what, text] of beyond) {
    const problem = expect.stringMatching(
      /^(it (reads|uses|is not) |its columns are none|too many attached|no such (table|column|function): |near "(of|=)": )/,
    )
    expect(await ask(text.replace('COPY', copy).replace('MIRROR', path)), what).toEqual(failed(problem))
  }
  expect(await ask(alarmQuery('count(*)', 'from users'))).toMatchObject({ alarms: [['3', 'seen']] })
  expect(look('select count(*) as n from users')).toEqual([{ n: 6 }])
  expect(file() === before).toBe(true)
  expect(existsSync(copy)).toBe(false)
})

it('refuses a view of an undeclared input, however little of it is read', async () => {
  const { ask } = await world()
  const users = (text: string) => ask(text, { inputs: ['users'] })
  const refused = failed('it reads documents, which inputs does not name')
  expect(await users(alarmQuery('fileId', 'from documents'))).toEqual(refused)
  expect(await users(alarmQuery('count(*)', 'from Documents'))).toEqual(refused)
  expect(await users(alarmQuery('userId', 'from users where exists (select 1 from documents)'))).toEqual(refused)
  expect(await users(alarmQuery('roleId', 'from role_permissions'))).toMatchObject({
    problem: 'it reads roles, which inputs does not name',
  })
})

it('aborts a query that would not end by itself', async () => {
  const { ask } = await world()
  const within = { timeoutMs: 1000 }
  const product =
    'from (with recursive t(x) as (select 1 union all select x + 1 from t where x < 3000) select x from t) a'
  const aborted = failed('it takes longer than 1 s (ownChecks.timeoutSeconds)')
  expect(await ask(alarmQuery('n', endless), within)).toEqual(aborted)
  const cross = `${product}, ${product.slice(5, -1)}b, ${product.slice(5, -1)}c`
  expect(await ask(alarmQuery('count(*)', cross), within)).toEqual(aborted)
})

it('bounds the size of a result', async () => {
  const { ask } = await world()
  const rows = (n: number, entity = 'x', status = "'alarm'") =>
    `with recursive t(x) as (select 1 union all select x + 1 from t where x < ${n}) select ${entity} as entity, ${status} as status, hex(zeroblob(700)) as reason from t`
  expect(await ask(rows(1001))).toEqual(failed('it returns more than 1000 rows that are not ok'))
  expect(await ask(rows(200_000, 'x', "'ok'"))).toMatchObject({ kind: 'answered', ok: 200_000 })
  expect(await ask(rows(5000), { maxRows: 100_000 })).toEqual(failed('it returns more than 4194304 characters'))
  const long = await ask("select 1 as entity, 'alarm' as status, hex(zeroblob(400000)) as reason")
  expect(long).toMatchObject({ alarms: [['1', '0'.repeat(2000)]] })
  expect(await ask(alarmQuery('hex(zeroblob(1000000000))', ''))).toEqual(failed('string or blob too big'))
})

it.each([
  ['email', '(a value)'],
  ["email || ' it''s ' || lastName", '(a value)'],
  ["'state'", "'state'"],
])('repeats no value of the tenant in the error of a failed query: %s', async (path, shown) => {
  const { ask } = await world()
  const asked = ask(alarmQuery(`json_extract('{}', ${path})`, 'from users'))
  expect(await asked).toEqual(failed(`bad JSON path: ${shown}`))
})

const wrong = [
  ['select 1', 'its columns are 1; expected exactly entity, status and reason'],
  ["select 1 as entity, 'ok' as status", 'its columns are entity, status; expected exactly entity, status and reason'],
  [
    "select 1 as entity, 'ok' as status, '' as reason, 2 as more",
    'its columns are entity, status, reason, more; expected exactly entity, status and reason',
  ],
  ["select 1 as entity, 'OK' as status, '' as reason", 'row 1: its status is none of ok, alarm, skip, error'],
  ["select null as entity, 'ok' as status, '' as reason", 'row 1: entity is null; expected a text or a number'],
  ["select '' as entity, 'ok' as status, '' as reason", 'row 1: entity is empty'],
  ["select 1 as entity, 'alarm' as status, ' ' as reason", 'row 1: reason is empty; expected a text or a number'],
  ['selekt 1', 'near "selekt": syntax error'],
  ["select missing as entity, 'ok' as status, '' as reason from users", 'no such column: missing'],
] as const

it('reports the problems of a query and of its rows', async () => {
  const { ask } = await world()
  for (const [text, problem] of wrong) expect(await ask(text), text).toEqual(failed(expect.stringContaining(problem)))
})

it('gives an entity the highest severity of its rows, and the evidence of all rows of that severity', async () => {
  const { ask } = await world()
  const rows = [
    ['a', 'ok', ''],
    ['a', 'alarm', 'Two.'],
    ['a', 'alarm', 'One.'],
    ['a', 'error', 'x'],
    ['b', 'skip', ''],
    ['b', 'error', 'Unclear.'],
    ['b', 'ok', ''],
    ['c', 'skip', ''],
    ['d', 'ok', ''],
    ['d', 'skip', ''],
    ['a', 'alarm', 'One.'],
    ['e', 'ok', ''],
    ['e', 'ok', ''],
  ]
  const values = rows.map((row) => `('${row.join("', '")}')`).join(', ')
  const text = `select column1 as entity, column2 as status, column3 as reason from (values ${values})`
  expect(await ask(text)).toEqual({
    kind: 'answered',
    ok: 1,
    alarms: [['a', 'One. Two.']],
    errors: [['b', 'Unclear.']],
    skipped: ['c', 'd'],
  })
})
