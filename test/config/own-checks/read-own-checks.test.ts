import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readOwnChecks } from '../../../src/config/own-checks.ts'
import { hourMs } from '../../../src/model/time.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const header = `-- id: my-check
-- title: All is well
-- severity: high
-- inputs: users, roles`
const query = "select 1 as entity, 'ok' as status, '' as reason"

function read(files: Readonly<Record<string, string | Uint8Array>>, folder = temporaryFolder()) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return readOwnChecks('.', folder, ['user-mfa-enrolled'])
}
const parse = (text: string) => read({ 'a.sql': text })

it('reads a header with everything it may have', () => {
  const text = `
-- id: my-check
--title:   All is well: every day
--
-- severity: high
-- inputs: api-clients,roles
-- maxAge: 6h
-- entity: api-client
-- frameworks: SOC 2 CC6.3, ISO 27001 A.5.15
-- description: What it does
-- risk: What may happen
-- remediation: What to do

-- A remark.
${query};
`
  const expected = {
    id: 'my-check',
    file: 'a.sql',
    title: 'All is well: every day',
    severity: 'high',
    inputs: ['api-clients', 'roles'],
    maxAgeMs: 6 * hourMs,
    entity: 'api-client',
    frameworks: ['SOC 2 CC6.3', 'ISO 27001 A.5.15'],
    description: 'What it does',
    risk: 'What may happen',
    remediation: 'What to do',
    query: `\n-- A remark.\n${query};\n`,
    timeBased: false,
  }
  expect(parse(text)).toEqual({ checks: [expected], problems: [] })
})

it('accepts other line ends and missing optional keys', () => {
  const expected = { inputs: ['users', 'roles'], maxAgeMs: null, entity: 'entity', frameworks: [], risk: null }
  const { checks, problems } = parse(`${header}\n\n${query}`.replaceAll('\n', '\r\n'))
  expect([checks, problems]).toMatchObject([[{ id: 'my-check', ...expected }], []])
})

it('reports all problems of a header in one line', () => {
  const text = `-- id: My Check
-- titel: x
-- severity: severe
-- inputs: users, gremlins
-- maxAge: soon
-- inputs: users
-- frameworks:
-- just a remark
${query}`
  const { checks, problems } = parse(text)
  expect([checks, problems]).toEqual([[], [expect.stringMatching(/^a\.sql: /)]])
  const expected = [
    'the header has inputs twice',
    'the header has the line "just a remark"',
    'unknown key `titel`; did you mean `title`?',
    '`id` is "My Check"',
    '`severity` is "severe"',
    '`inputs` is "users, gremlins"',
    '`maxAge` is "soon"',
    '`frameworks` is ""',
  ]
  for (const one of expected) expect(problems[0]).toContain(one)
})

it.each([
  ['', '`id` is missing'],
  [`${header}\n`, 'there is no query below the header'],
  [`${header}\n\n${query}; delete from users`, 'there is more than one statement'],
  [`${header}\n\n${query} where x = :since`, 'the query has the parameter :since'],
  [`${header}\n\n${query} where x = ?`, 'the query has the parameter ?'],
  [`${header}\n\n${query}\0`, 'NUL'],
  [header.replace('users, roles', 'users, users'), '`inputs` is "users, users"'],
  [`${header}\n-- maxAge: 0s\n\n${query}`, '`maxAge` is "0s"'],
  [`${header}\n-- risk: a\u0007b\n\n${query}`, '`risk` is'],
])('reports the problem of %j', (text, problem) => {
  expect(parse(text)).toEqual({ checks: [], problems: [expect.stringContaining(problem)] })
})

it('ignores statements and parameters in strings, names and comments', () => {
  const odd = `select ';' as entity, "a;b" as status, [c?] as reason -- ; and :this
    /* ? ; */ from users where x = 'it''s :that ?' and y < :now and z = :tenant;`
  expect(parse(`${header}\n\n${odd}`)).toMatchObject({ checks: [{ timeBased: true }], problems: [] })
})

it.each([
  ['createdAtMs < :now', true],
  ["createdAt < date('now')", true],
  ["createdAt < \"DateTime\"('no' || 'w')", true],
  ['x < CURRENT_TIMESTAMP', true],
  ['x < unixepoch()', true],
  ['createdAt < 5 and updatedAtMs > 6', false],
])('knows whether a query hangs on the time: %s', (condition, timeBased) => {
  expect(parse(`${header}\n\n${query} where ${condition}`).checks).toMatchObject([{ timeBased }])
})

it('rejects two files with the same id, and a file with the id of a built-in check', () => {
  const whole = `${header}\n\n${query}`
  const builtIn = whole.replace('my-check', 'user-mfa-enrolled')
  const { checks, problems } = read({ 'a.sql': whole, 'b.sql': whole, 'c.sql': builtIn })
  expect(checks).toMatchObject([{ id: 'my-check', file: 'a.sql' }])
  expect(problems).toEqual([
    'b.sql: the id my-check is that of a.sql, too',
    'c.sql: the id user-mfa-enrolled is that of a built-in check',
  ])
})

it('reads exactly the files of a folder, through links too', () => {
  const folder = temporaryFolder()
  const whole = (id: string) => `${header.replace('my-check', id)}\n\n${query}`
  mkdirSync(join(folder, '..data'))
  writeFileSync(join(folder, '..data/linked.sql'), whole('linked'))
  symlinkSync(join('..data', 'linked.sql'), join(folder, 'linked.sql'))
  symlinkSync('gone', join(folder, 'broken.sql'))
  symlinkSync('/dev/null', join(folder, 'device.sql'))
  mkdirSync(join(folder, 'folder.sql'))
  const files = {
    '.hidden.sql': 'hidden',
    'README.md': 'read me',
    'B.SQL': `\ufeff${whole('upper')}`,
    'large.sql': 'x'.repeat(65_537),
    'latin.sql': Uint8Array.of(0x2d, 0xe9),
  }
  const { checks, problems } = read(files, folder)
  expect(checks.map(({ file, id }) => `${file} ${id}`)).toEqual(['B.SQL upper', 'linked.sql linked'])
  expect(problems).toEqual([
    'broken.sql: no such file',
    'device.sql: it is not a regular file',
    'folder.sql: it is a directory',
    'large.sql: it is larger than 64 KiB',
    'latin.sql: it is not UTF-8 text',
  ])
})
