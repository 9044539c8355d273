import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownViews } from '../../../src/checks/own/views.ts'
import type { NoAnswer, OwnAnswer, OwnQuery } from '../../../src/evaluate/own-query.ts'
import { type Records, readInFull, twoTenants } from '../../store/support/two-tenants.ts'
import { removeRecords } from '../../support/removal.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { onPostgres } from '../../support/test-database.ts'
import { iso, now } from '../support/evaluator.ts'
import { client, document, role, settings, user } from '../support/facts.ts'
import { alarmQuery, endless, ownQuery, sandboxQueries } from '../support/own-queries.ts'

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
  expect(await ask(alarmQuery("lastName || ' ' || count(*)", 'from users'))).toMatchObject({
    alarms: [['acme 3', 'seen']],
  })
  expect(await ask(alarmQuery('code', 'from role_permissions'))).toMatchObject({
    alarms: [['Api_Users_Read', 'seen']],
  })
})

it('shows live records only, with the time of the evaluation and the name of the tenant', async () => {
  const { mirror, acme, query: look, ask } = await world()
  const [first] = look('select rid from users where tenant_id = ? and user_id = 1', acme)
  await removeRecords(mirror, { tenantId: acme, resource: 'users', at: now, removedAt: now, requestId: 'req-2' }, [
    Number(first?.['rid']),
  ])
  const times = "sum(createdAtMs < :now) || ' ' || typeof(:now) || ' ' || :tenant"
  expect(await ask(alarmQuery(times, 'from users'))).toMatchObject({
    alarms: [['2 integer acme', 'seen']],
  })
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
  ['the schema, counted', `select count(*) as entity${ok} from Temp.Sqlite_Schema`],
  ['a pragma as a table', 'select file as entity from pragma_database_list'],
  ['the pages of the database', 'select name as entity from dbstat'],
  ['an extension', "select load_extension('/tmp/x.so') as entity"],
  ['a file that is written', "select writefile('COPY', 'x') as entity"],
  ['a file that is read', "select readfile('/etc/passwd') as entity"],
  ['a search table', "select fts3_tokenizer('simple') as entity"],
  ['chance', 'select random() as entity'],
  ['deletion', 'delete from main.users'],
  ['deletion behind a with', 'with x as (select 1) delete from main.users'],
  ['insertion', "insert into main.users (userId) values ('9')"],
  ['a change', 'update main.users set email = null'],
  ['a replaced row', 'replace into main.users (userId, email) values (1, null)'],
  ['a new table', 'create table main.mine (x)'],
  ['a temporary table', 'create temp table mine as select * from users'],
  ['a trigger', 'create temp trigger t after insert on users begin select 1; end'],
  ['a pragma', 'pragma writable_schema = 1'],
  ['the pragma that allows writes', 'pragma query_only = off'],
  ['another database', "attach 'COPY' as other"],
  ['the mirror', "attach 'MIRROR' as mirror"],
  ['another database in memory', "attach ':memory:' as other"],
  ['a copy', "vacuum into 'COPY'"],
  ['a transaction', 'begin immediate'],
  ['a dropped table', 'drop table main.users'],
  ['an analysed table', 'analyze'],
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
    expect(await ask(text.replace('COPY', copy).replace('MIRROR', path)), what).toEqual({ kind: 'failed', problem })
  }
  expect(await ask(alarmQuery('count(*)', 'from users'))).toMatchObject({ alarms: [['3', 'seen']] })
  expect(look('select count(*) as n from users')).toEqual([{ n: 6 }])
  expect(file() === before).toBe(true)
  expect(existsSync(copy)).toBe(false)
})

it('has no row of another tenant, whatever the name of the schema', async () => {
  const { ask } = await world()
  for (const from of ['users', 'main.users', 'MAIN.USERS', 'temp.users']) {
    const answer = await ask(alarmQuery("group_concat(lastName, ' ')", `from ${from}`))
    if (from === 'temp.users') expect(answer).toEqual({ kind: 'failed', problem: 'no such table: temp.users' })
    else expect(answer).toMatchObject({ alarms: [['acme acme acme', 'seen']] })
  }
})

const odd = 'Half \0 and \u001a and \u001a0 \u2028 "\\\' 名前 🌍\r\n'
const oddRecords: Records = {
  'api-clients': [
    client({ clientId: 'c1', name: odd, roleName: null, secretExpirationDate: '2026-05-01T02:00:00.123+02:00' }),
    client({ clientId: '7C1FD035-BA04-4D3A-981C-E8CEB85B1B04' }),
  ],
  'authentication-settings': [settings({ ssoEnabled: true, providerType: null, tenantName: odd })],
  documents: [
    document({ fileId: 'd1', filename: odd, uploadStatus: null, createdAt: iso(now), updatedAt: null }),
    document({ fileId: 'd2', filename: '', updatedAt: '2026-02-28T23:59:59+05:30' }),
  ],
  permissions: [{ permissionId: 0, name: odd, module: null, function: '', code: 'A' }],
  roles: [
    role({ roleId: 1, name: odd, description: null }, ['Api_Users_Read', odd]),
    role({ roleId: Number.MAX_SAFE_INTEGER, name: '', isReadOnly: true }, []),
  ],
  users: [
    user({ userId: -5, firstName: odd, lastName: null, mfaStatus: true, mfaAction: false, roleName: null }),
    user({ userId: 7, email: '', roleId: 3, createdAt: iso(now) }),
  ],
}

const oddValues: readonly [view: string, value: string, expected: unknown, where?: string][] = [
  ['api_clients', 'clientId', ['7c1fd035-ba04-4d3a-981c-e8ceb85b1b04', 'c1']],
  [
    'api_clients',
    "secretExpirationDateMs - :now || ''",
    expect.arrayContaining([`${Date.parse('2026-05-01T00:00:00.123Z') - now}`]),
  ],
  ['api_clients', 'coalesce(roleName, typeof(roleName))', expect.arrayContaining(['null'])],
  ['authentication_settings', 'tenantName', [odd]],
  ['authentication_settings', "typeof(ssoEnabled) || ssoEnabled || ifnull(providerType, '-')", ['integer1-']],
  ['documents', 'hex(filename)', ['', Buffer.from(odd).toString('hex').toUpperCase()].map((one) => `x${one}`)],
  ['documents', "typeof(updatedAtMs) || ' ' || typeof(statusSinceMs)", ['integer integer', 'null integer']],
  ['documents', "coalesce(updatedAt, 'none')", expect.arrayContaining(['2026-02-28T23:59:59+05:30'])],
  ['permissions', 'permissionId || code || typeof(module) || length(function)', ['0Anull0']],
  ['roles', "roleId || ' ' || isReadOnly || ' ' || json_array_length(permissions)", ['1 0 2', '9007199254740991 1 0']],
  ['role_permissions', 'typeof(roleId) || roleId || code', ['integer1Api_Users_Read', `integer1${odd}`]],
  ['users', "userId || ' ' || mfaStatus || mfaAction", ['-5 10', '7 10']],
  ['users', 'typeof(firstSeenAtMs) || (createdAtMs <= :now)', ['integer1']],
  // A text is compared with a number as in the mirror, by the type of the column.
  ['users', "userId || ''", ['7'], "where userId = '7'"],
]

it('shows the values that the mirror has, by their types', async () => {
  const { mirror, askOf } = await world()
  const ask = askOf(await readInFull(mirror, 'odd', oddRecords))
  for (const [view, value, expected, where = ''] of oddValues) {
    const shown = value.startsWith('hex') ? `'x' || ${value}` : value
    const answer = await ask(alarmQuery(shown, `from ${view} ${where}`))
    const entities = answer.kind === 'answered' ? answer.alarms.map(([entity]) => entity).toSorted() : answer
    expect(entities, `${view}: ${value}`).toEqual(expected)
  }
})

it('refuses a view of an undeclared input, however little of it is read', async () => {
  const { ask } = await world()
  const users = (text: string) => ask(text, { inputs: ['users'] })
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
  const { ask } = await world()
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
    const answer = await ask(text)
    counts.push(answer.kind === 'answered' ? answer.alarms.length : answer.problem)
  }
  expect(counts).toEqual([3, 3, 3, 3, 1])
})

it('aborts a query that would not end by itself', async () => {
  const { ask } = await world()
  const within = { timeoutMs: 1000 }
  const product =
    'from (with recursive t(x) as (select 1 union all select x + 1 from t where x < 3000) select x from t) a'
  const problem = 'it takes longer than 1 s (ownChecks.timeoutSeconds)'
  expect(await ask(alarmQuery('n', endless), within)).toEqual({ kind: 'failed', problem })
  const cross = `${product}, ${product.slice(5, -1)}b, ${product.slice(5, -1)}c`
  expect(await ask(alarmQuery('count(*)', cross), within)).toEqual({ kind: 'failed', problem })
})

it('bounds the size of a result', async () => {
  const { ask } = await world()
  const rows = (n: number, entity = 'x', status = "'alarm'") =>
    `with recursive t(x) as (select 1 union all select x + 1 from t where x < ${n}) select ${entity} as entity, ${status} as status, hex(zeroblob(700)) as reason from t`
  expect(await ask(rows(1001))).toEqual({
    kind: 'failed',
    problem: 'it returns more than 1000 rows that are not ok',
  })
  expect(await ask(rows(200_000, 'x', "'ok'"))).toMatchObject({ kind: 'answered', ok: 200_000 })
  expect(await ask(rows(5000), { maxRows: 100_000 })).toEqual({
    kind: 'failed',
    problem: 'it returns more than 4194304 characters',
  })
  const long = await ask("select 1 as entity, 'alarm' as status, hex(zeroblob(400000)) as reason")
  expect(long).toMatchObject({ alarms: [['1', '0'.repeat(2000)]] })
  const problem = 'string or blob too big'
  expect(await ask(alarmQuery('hex(zeroblob(1000000000))', ''))).toEqual({ kind: 'failed', problem })
})

it('repeats no value of the tenant in the error of a failed query', async () => {
  const { ask } = await world()
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
  ["select 1 as entity, 'alarm' as status, ' ' as reason", 'row 1: reason is empty; expected a text or a number'],
  ["select 1 as entity, 'alarm' as status, null as reason", 'row 1: reason is null; expected a text or a number'],
  ['selekt 1', 'near "selekt": syntax error'],
  ["select missing as entity, 'ok' as status, '' as reason from users", 'no such column: missing'],
  ["select \"missing\" as entity, 'ok' as status, '' as reason from users", 'no such column: "missing"'],
] as const

it('reports the problems of a query and of its rows', async () => {
  const { ask } = await world()
  for (const [text, problem] of wrong) {
    expect(await ask(text), text).toEqual({
      kind: 'failed',
      problem: expect.stringContaining(problem),
    })
  }
})

it('repeats no part of a record in an error', async () => {
  const { ask } = await world()
  const answer = await ask("select 1 as entity, email as status, '' as reason from users")
  expect(answer).toMatchObject({ kind: 'failed' })
  expect(JSON.stringify(answer)).not.toContain('@')
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
  ]
  const values = rows.map((row) => `('${row.join("', '")}')`).join(', ')
  const text = `select column1 as entity, column2 as status, column3 as reason from (values ${values})`
  expect(await ask(text)).toEqual({
    kind: 'answered',
    ok: 3,
    alarms: [['a', 'One. Two.']],
    errors: [['b', 'Unclear.']],
    skipped: ['c', 'd'],
  })
})

it('carries numbers beyond what a double holds, control characters and other scripts as they are', async () => {
  const { ask } = await world()
  const text = `select column1 as entity, 'alarm' as status, column2 as reason from
    (values (9007199254740993, 1.5), ('a' || char(0) || 'b', '<b>' || char(27) || '[31m'), ('名前', '"\\'))`
  expect(await ask(text)).toMatchObject({
    alarms: [
      ['9007199254740993', '1.5'],
      ['a\0b', '<b>\u001b[31m'],
      ['名前', '"\\'],
    ],
  })
})
