import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite from 'node:sqlite'
import { expect, it } from 'vitest'
import { resourceNames } from '../../src/model/resource-names.ts'
import { answerOf } from '../../src/store/own-checks/answer.ts'
import { jobOf } from '../../src/store/own-checks/ask.ts'
import type { NoAnswer, OwnAnswer } from '../../src/store/own-checks/question.ts'
import { ownViews } from '../../src/store/own-checks/views.ts'
import type { OwnQuery } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import type { TestMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { onPostgres } from '../support/test-database.ts'
import { twoTenants } from './support/two-tenants.ts'

const limits = { now, tenant: 'acme', timeoutMs: 60_000, maxRows: 1000 }
const query = (text: string, more: Partial<OwnQuery> = {}): OwnQuery => ({
  ...limits,
  text,
  inputs: resourceNames,
  ...more,
})
/** Returns `alarm` for each selected `entity`. */
const alarmQuery = (entity: string, from: string) =>
  `select ${entity} as entity, 'alarm' as status, 'seen' as reason ${from}`

it('shows every view with every column that it names, of one tenant alone', async () => {
  const test = await twoTenants()
  const { mirror, acme, globex } = test
  for (const { name, columns } of ownViews) {
    const all = columns.map((column) => `"${column.name}"`)
    const text = alarmQuery(`json_array(${all.join(', ')})`, `from ${name}`)
    const mine = await askHere(test, acme, query(text))
    const theirs = await askHere(test, globex, query(text))
    expect(mine, name).toMatchObject({ kind: 'answered' })
    expect(JSON.stringify(mine), name).not.toContain('globex')
    expect(JSON.stringify(theirs), name).not.toContain('acme')
  }
  expect(await mirror.ask(acme, query(alarmQuery("lastName || ' ' || count(*)", 'from users')))).toMatchObject({
    alarms: [['acme 3', 'seen']],
  })
  expect(await mirror.ask(acme, query(alarmQuery('code', 'from role_permissions')))).toMatchObject({
    alarms: [['Api_Users_Read', 'seen']],
  })
})

it('shows live records only, with the time of the evaluation and the name of the tenant', async () => {
  const { mirror, acme, query: look } = await twoTenants()
  const [first] = look('select rid from users where tenant_id = ? and user_id = 1', acme)
  await mirror.remove({ tenantId: acme, resource: 'users', at: now, removedAt: now, requestId: 'req-2' }, [
    Number(first?.['rid']),
  ])
  const times = "sum(createdAtMs < :now) || ' ' || typeof(:now) || ' ' || :tenant"
  expect(await mirror.ask(acme, query(alarmQuery(times, 'from users')))).toMatchObject({
    alarms: [['2 integer acme', 'seen']],
  })
})

/** The answer, of a file without a process of its own: for the many queries that end by themselves and need no limit. */
async function askHere(
  { path, mirror }: Pick<TestMirror, 'mirror' | 'path'>,
  tenantId: number,
  asked: OwnQuery,
): Promise<OwnAnswer | NoAnswer> {
  return onPostgres ? mirror.ask(tenantId, asked) : answerOf(sqlite, jobOf(asked, { file: path, tenantId }))
}

const copy = join(tmpdir(), `tenantwatch-copy-${process.pid}.db`)

const beyond = [
  ['a table', 'select count(*) as entity from findings'],
  ['a table of records', 'select user_id as entity from main.users'],
  [
    'a table, of which only rows are counted',
    "select count(*) as entity, 'ok' as status, '' as reason from check_states",
  ],
  ['the same by another spelling', "select count(*) as entity, 'ok' as status, '' as reason from MAIN.USERS"],
  ['a table under the name of a view', 'with users as (select user_id as entity from main.users) select * from users'],
  ['a table in a subquery', 'select (select group_concat(name) from tenants) as entity'],
  ['the schema', 'select sql as entity from sqlite_master'],
  ['the schema of the views', 'select sql as entity from sqlite_temp_master'],
  ['the schema, counted', "select count(*) as entity, 'ok' as status, '' as reason from Temp.Sqlite_Schema"],
  ['a pragma as a table', 'select file as entity from pragma_database_list'],
  ['the pages of the file', 'select name as entity from dbstat'],
  ['an extension', "select load_extension('/tmp/x.so') as entity"],
  ['a search table', "select fts3_tokenizer('simple') as entity"],
  ['chance', 'select random() as entity'],
  ['deletion', 'delete from main.users'],
  ['deletion behind a with', 'with x as (select 1) delete from main.users'],
  ['insertion', "insert into main.tenants (name) values ('x')"],
  ['a change', 'update main.users set email = null'],
  ['a replaced row', 'replace into main.tenants (id, name) values (1, null)'],
  ['a table to be made', 'create table main.mine (x)'],
  ['a temporary table', 'create temp table mine as select * from users'],
  ['a trigger', 'create temp trigger t instead of insert on users begin select 1; end'],
  ['a schema to be written', 'pragma writable_schema = 1'],
  ['the query to be unlocked', 'pragma query_only = off'],
  ['a copy', `vacuum into '${copy}'`],
  ['a transaction', 'begin immediate'],
  ['a table to be dropped', 'drop table main.users'],
  ['a table to be analysed', 'analyze'],
] as const

it('refuses whatever is not a reading of the views', async () => {
  const test = await twoTenants()
  const { acme, path, query: look } = test
  const file = () => (onPostgres ? '' : readFileSync(path).toString('base64'))
  const before = file()
  for (const [what, text] of beyond) {
    const problem = expect.stringMatching(
      /^(it (reads|uses|is not) |cannot modify |its columns are none|no such table: (main\.)?(findings|check_states|tenants)$)/,
    )
    expect(await askHere(test, acme, query(text)), what).toEqual({ kind: 'failed', problem })
  }
  expect(look('select count(*) as n from users')).toEqual([{ n: 6 }])
  expect(file() === before).toBe(true)
  expect(existsSync(copy)).toBe(false)
})

it('opens and makes no other file', async () => {
  const { mirror, acme, path } = await twoTenants()
  const other = join(temporaryFolder(), 'other.db')
  for (const text of [`attach '${other}' as other`, `attach '${path}' as again`, `vacuum into '${other}'`])
    expect(await mirror.ask(acme, query(text))).toMatchObject({ kind: 'failed' })
  expect(existsSync(other)).toBe(false)
})

it('refuses a view of an undeclared input, however little of it is read', async () => {
  const test = await twoTenants()
  const users = (text: string) => askHere(test, test.acme, query(text, { inputs: ['users'] }))
  const problem = 'it reads documents, which inputs does not name'
  expect(await users(alarmQuery('fileId', 'from documents'))).toEqual({ kind: 'failed', problem })
  expect(await users(alarmQuery('count(*)', 'from Documents'))).toEqual({ kind: 'failed', problem })
  expect(await users(alarmQuery('userId', 'from users where exists (select 1 from documents)'))).toEqual({
    kind: 'failed',
    problem,
  })
  expect(await users(alarmQuery('roleId', 'from role_permissions'))).toMatchObject({
    problem: 'it reads roles, which inputs does not name',
  })
})

it('accepts every SQL construct that only reads', async () => {
  const test = await twoTenants()
  const texts = [
    alarmQuery(
      'n',
      'from (with recursive c(n) as (select 1 union all select n + 1 from c where n < 3) select n from c)',
    ),
    alarmQuery('n', 'from (select row_number() over (order by email) as n from users)'),
    alarmQuery('userId', "from users union select value, 'alarm', 'seen' from json_each('[1, 2, 3]')"),
    alarmQuery(
      'U.USERID',
      'from USERS u left join roles r on r.name = u.roleName group by u.userId having count(*) = 1',
    ),
    alarmQuery("strftime('%d', createdAt) - 27", 'from users, (values (1)) limit 1'),
  ]
  const counts = []
  for (const text of texts) {
    const answer = await askHere(test, test.acme, query(text))
    counts.push(answer.kind === 'answered' ? answer.alarms.length : answer.problem)
  }
  expect(counts).toEqual([3, 3, 3, 3, 1])
})

it('aborts a query that would not end by itself', async () => {
  const { mirror, acme } = await twoTenants()
  const ask = (text: string) => mirror.ask(acme, query(text, { timeoutMs: 1000 }))
  const endless = 'from (with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) as n from t)'
  const product =
    'from (with recursive t(x) as (select 1 union all select x + 1 from t where x < 3000) select x from t) a'
  const problem = 'it takes longer than 1 s (ownChecks.timeoutSeconds)'
  expect(await ask(alarmQuery('n', endless))).toEqual({ kind: 'failed', problem })
  const cross = `${product}, ${product.slice(5, -1)}b, ${product.slice(5, -1)}c`
  expect(await ask(alarmQuery('count(*)', cross))).toEqual({ kind: 'failed', problem })
})

it('aborts a query that takes too much memory, and writes nothing to the disk meanwhile', async () => {
  const { mirror, acme } = await twoTenants()
  const ask = (text: string, more: Partial<OwnQuery> = {}) => mirror.ask(acme, query(text, more))
  expect(await ask(alarmQuery('hex(zeroblob(1000000000))', ''))).toEqual({
    kind: 'failed',
    problem: 'string or blob too big',
  })
  const heap =
    'from (with recursive t(x, b) as (select 1, zeroblob(900000) union all select x + 1, zeroblob(900000 + x) from t where x < 20000) select b from t order by b desc, x)'
  expect(await ask(alarmQuery('count(*)', heap))).toEqual({
    kind: 'failed',
    problem: 'it takes more than 384 MiB of memory',
  })
})

it('bounds the size of a result', async () => {
  const { mirror, acme } = await twoTenants()
  const rows = (n: number, entity = 'x', status = "'alarm'") =>
    `with recursive t(x) as (select 1 union all select x + 1 from t where x < ${n}) select ${entity} as entity, ${status} as status, hex(zeroblob(700)) as reason from t`
  expect(await mirror.ask(acme, query(rows(1001)))).toEqual({
    kind: 'failed',
    problem: 'it returns more than 1000 rows that are not ok',
  })
  expect(await mirror.ask(acme, query(rows(200_000, 'x', "'ok'")))).toMatchObject({ kind: 'answered', ok: 200_000 })
  expect(await mirror.ask(acme, query(rows(5000), { maxRows: 100_000 }))).toEqual({
    kind: 'failed',
    problem: 'it returns more than 4194304 characters',
  })
  const long = await mirror.ask(acme, query("select 1 as entity, 'alarm' as status, hex(zeroblob(400000)) as reason"))
  expect(long).toMatchObject({ alarms: [['1', '0'.repeat(2000)]] })
})

it('repeats no value of the tenant in the error of a failed query', async () => {
  const { mirror, acme } = await twoTenants()
  const ask = (text: string) => mirror.ask(acme, query(text))
  expect(await ask(alarmQuery("json_extract('{}', email)", 'from users'))).toEqual({
    kind: 'failed',
    problem: 'bad JSON path: (a value)',
  })
  expect(await ask(alarmQuery("json_extract('{}', email || ' it''s ' || lastName)", 'from users'))).toEqual({
    kind: 'failed',
    problem: 'bad JSON path: (a value)',
  })
  expect(await ask(alarmQuery("json_extract('{}', 'state')", 'from users'))).toEqual({
    kind: 'failed',
    problem: "bad JSON path: 'state'",
  })
})

const wrong = [
  ['select 1', 'its columns are 1; expected exactly entity, status and reason'],
  ["select 1 as entity, 'ok' as status", 'its columns are entity, status; expected exactly entity, status and reason'],
  [
    "select 1 as entity, 'ok' as status, '' as reason, 2 as more",
    'its columns are entity, status, reason, more; expected exactly entity, status and reason',
  ],
  ["select 1 as entity, 'OK' as status, '' as reason", 'row 1: its status is none of ok, alarm, skip, error'],
  ["select 1 as entity, null as status, '' as reason", 'row 1: its status is none of ok, alarm, skip, error'],
  ["select null as entity, 'ok' as status, '' as reason", 'row 1: entity is null; expected a text or a number'],
  ["select x'00' as entity, 'ok' as status, '' as reason", 'row 1: entity is a blob; expected a text or a number'],
  ["select '' as entity, 'ok' as status, '' as reason", 'row 1: entity is empty'],
  ["select 1 as entity, 'alarm' as status, ' ' as reason", 'row 1: reason is empty; expected a sentence'],
  ["select 1 as entity, 'alarm' as status, null as reason", 'row 1: reason is null; expected a text or a number'],
  ['selekt 1', 'near "selekt": syntax error'],
  ["select missing as entity, 'ok' as status, '' as reason from users", 'no such column: missing'],
  ["select \"missing\" as entity, 'ok' as status, '' as reason from users", 'no such column: "missing"'],
] as const

it('reports the problems of a query and of its rows', async () => {
  const test = await twoTenants()
  for (const [text, problem] of wrong) {
    expect(await askHere(test, test.acme, query(text)), text).toEqual({
      kind: 'failed',
      problem: expect.stringContaining(problem),
    })
  }
})

it('repeats no part of a record in an error', async () => {
  const { mirror, acme } = await twoTenants()
  const answer = await mirror.ask(acme, query("select 1 as entity, email as status, '' as reason from users"))
  expect(answer).toMatchObject({ kind: 'failed' })
  expect(JSON.stringify(answer)).not.toContain('@')
})

it('gives an entity the highest severity of its rows, and the evidence of all rows of that severity', async () => {
  const { mirror, acme } = await twoTenants()
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
  ]
  const values = rows.map((row) => `('${row.join("', '")}')`).join(', ')
  const text = `select column1 as entity, column2 as status, column3 as reason from (values ${values})`
  expect(await mirror.ask(acme, query(text))).toEqual({
    kind: 'answered',
    ok: 3,
    alarms: [['a', 'One. Two.']],
    errors: [['b', 'Unclear.']],
    skipped: ['c', 'd'],
  })
})

it('carries numbers beyond what a double holds, control characters and other scripts as they are', async () => {
  const { mirror, acme } = await twoTenants()
  const text = `select column1 as entity, 'alarm' as status, column2 as reason from
    (values (9007199254740993, 1.5), ('a' || char(0) || 'b', '<b>' || char(27) || '[31m'), ('名前', '"\\'))`
  expect(await mirror.ask(acme, query(text))).toMatchObject({
    alarms: [
      ['9007199254740993', '1.5'],
      ['a\0b', '<b>\u001b[31m'],
      ['名前', '"\\'],
    ],
  })
})

it('ends the process when nobody waits any more', async () => {
  const { mirror, acme } = await twoTenants()
  const stopping = new AbortController()
  const endless = 'from (with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) as n from t)'
  const asked = mirror.ask(acme, query(alarmQuery('n', endless)), stopping.signal)
  stopping.abort(new DOMException('The engine ends', 'AbortError'))
  await expect(asked).rejects.toThrow('The engine ends')
  await expect(mirror.ask(acme, query('select 1'), stopping.signal)).rejects.toThrow('The engine ends')
})
