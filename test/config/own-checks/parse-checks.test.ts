import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseChecks, readFolder } from '../../../src/config/own-checks.ts'
import { hourMs } from '../../../src/model/time.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const header = `-- id: my-check
-- title: All is well
-- severity: high
-- inputs: users, roles`
const query = "select 1 as entity, 'ok' as status, '' as reason"

const parseFiles = (files: Readonly<Record<string, string>>) =>
  parseChecks({ files: Object.entries(files).map(([name, text]) => ({ name, text })) }, 'own', ['user-mfa-enrolled'])
const parse = (text: string) => parseFiles({ 'a.sql': text }).checks[0]
const problemOf = (text: string) => parse(text)?.problem

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
  expect(parse(text)).toEqual({
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
    problem: null,
  })
})

it('accepts other line ends and missing optional keys', () => {
  expect(parse(`${header}\n\n${query}`.replaceAll('\n', '\r\n'))).toMatchObject({
    id: 'my-check',
    inputs: ['users', 'roles'],
    maxAgeMs: null,
    entity: 'entity',
    frameworks: [],
    risk: null,
    problem: null,
  })
})

it('reports all problems of a header', () => {
  const text = `-- id: My Check
-- titel: x
-- severity: severe
-- inputs: users, gremlins
-- maxAge: soon
-- inputs: users
-- frameworks:
-- just a remark
${query}`
  const problem = problemOf(text)
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
  for (const one of expected) expect(problem).toContain(one)
})

it.each([
  ['', '`id` is missing'],
  [query, '`id` is missing'],
  [`${header}\n`, 'there is no query below the header'],
  [`${header}\n\n-- nothing\n;`, 'there is no query below the header'],
  [`${header}\n\n${query}; delete from users`, 'there is more than one statement'],
  [`${header}\n\n${query} where x = :since`, 'the query has the parameter :since'],
  [`${header}\n\n${query} where x = ?`, 'the query has the parameter ?'],
  [`${header}\n\n${query}\0`, 'NUL'],
  [header.replace('users, roles', 'users, users'), '`inputs` is "users, users"'],
  [`${header}\n-- maxAge: 0s\n\n${query}`, '`maxAge` is "0s"'],
  [`${header}\n-- risk: a\u0007b\n\n${query}`, '`risk` is'],
])('reports the problem of %j', (text, problem) => {
  expect(problemOf(text)).toContain(problem)
})

it('ignores statements and parameters in strings, names and comments', () => {
  const odd = `select ';' as entity, "a;b" as status, [c?] as reason -- ; and :this
    /* ? ; */ from users where x = 'it''s :that ?' and y < :now and z = :tenant;`
  expect(parse(`${header}\n\n${odd}`)).toMatchObject({ problem: null, timeBased: true })
})

it.each([
  ['createdAtMs < :now', true],
  ["createdAt < date('now')", true],
  ["createdAt < \"DateTime\"('no' || 'w')", true],
  ['x < CURRENT_TIMESTAMP', true],
  ['x < unixepoch()', true],
  ['createdAt < 5 and updatedAtMs > 6', false],
])('knows whether a query hangs on the time: %s', (condition, timeBased) => {
  expect(parse(`${header}\n\n${query} where ${condition}`)).toMatchObject({ timeBased })
})

it('rejects two files with the same id, and a file with the id of a built-in check', () => {
  const whole = `${header}\n\n${query}`
  expect(parseFiles({ 'a.sql': whole, 'b.sql': whole })).toEqual({
    checks: [{ id: 'my-check', file: 'a.sql, b.sql', problem: 'the id my-check is in several files: a.sql, b.sql' }],
    incomplete: false,
  })
  expect(parseFiles({ 'a.sql': whole.replace('my-check', 'user-mfa-enrolled') })).toEqual({
    checks: [{ id: 'own-file-a', file: 'a.sql', problem: 'the id user-mfa-enrolled is that of a built-in check' }],
    incomplete: true,
  })
})

it('gives a file without an id a unique id', () => {
  const other = `${header.replace('my-check', 'own-file-a-b')}\n\n${query}`
  const { checks, incomplete } = parseFiles({ 'a b.sql': '', 'A_B.SQL': '', '.;.sql': '', 'c.sql': other })
  expect(incomplete).toBe(true)
  expect(checks.map(({ id }) => id)).toEqual(['own-file-unnamed', 'own-file-a-b-3', 'own-file-a-b-2', 'own-file-a-b'])
})

it('reads exactly the files of a folder, through links too', () => {
  const folder = temporaryFolder()
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, name), text)
  mkdirSync(join(folder, '..data'))
  write('..data/linked.sql', 'linked')
  symlinkSync(join('..data', 'linked.sql'), join(folder, 'linked.sql'))
  symlinkSync('gone', join(folder, 'broken.sql'))
  symlinkSync('/dev/null', join(folder, 'device.sql'))
  mkdirSync(join(folder, 'folder.sql'))
  write('.hidden.sql', 'hidden')
  write('README.md', 'read me')
  write('B.SQL', '\ufeffupper')
  write('large.sql', 'x'.repeat(65_537))
  write('latin.sql', Uint8Array.of(0x2d, 0xe9))
  expect(readFolder(folder)).toEqual({
    files: [
      { name: 'B.SQL', text: 'upper' },
      { name: 'broken.sql', problem: 'no such file' },
      { name: 'device.sql', problem: 'it is not a regular file' },
      { name: 'folder.sql', problem: 'it is a directory' },
      { name: 'large.sql', problem: 'it is larger than 64 KiB' },
      { name: 'latin.sql', problem: 'it is not UTF-8 text' },
      { name: 'linked.sql', text: 'linked' },
    ],
  })
})
