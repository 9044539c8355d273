import { expect, it, onTestFinished, vi } from 'vitest'
import { Batch } from '../../../src/store/postgres/batch.ts'
import { PostgresStatement, type Rows } from '../../../src/store/postgres/statement.ts'
import { testPostgres } from '../../support/postgres.ts'

let names = 0

function statement(text: string, rows: Rows = 'values') {
  return new PostgresStatement<readonly unknown[], unknown>(text, `test_${++names}`, rows)
}

const begin = statement('begin')
const commit = statement('commit')
const insert = statement('insert into tenants (name, base_url, created_at) values ($1, $2, 1)')
const refused = statement(`insert into tenants (name, base_url, created_at) values ($1, null, 1)`)

async function opened() {
  const postgres = testPostgres()
  const sessions = postgres.connect()
  const session = await sessions.take()
  onTestFinished(async () => {
    session.release(false)
    await sessions[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const stored = () => postgres.query('select name from tenants order by name').map(({ name }) => name)
  return { session, stored }
}

it('answers statements of one turn in their order, each with its own rows', async () => {
  const { session } = await opened()
  const twice = statement('select n::bigint from generate_series(1, $1::bigint) as n')
  const named = statement('select $1::bigint as a, $2::text as b', 'objects')
  const sent = [
    session.send(twice, ['2']),
    session.send(named, ['7', 'x']),
    session.send(twice, ['3']),
    session.send(twice, ['0']),
  ]
  const answers = await Promise.all(sent)
  expect(answers.map(({ rows }) => rows)).toEqual([[1, 2], [{ a: 7, b: 'x' }], [1, 2, 3], []])
  expect((await session.send(twice, ['1'])).rows).toEqual([1])
})

it('runs nothing after a statement that fails, until the next text', async () => {
  const { session, stored } = await opened()
  const sent = [
    session.send(statement('begin isolation level nonsense'), []),
    session.send(insert, ['a', 'https://a']),
    session.send(commit, []),
  ]
  const [began, ...others] = await Promise.allSettled(sent)
  expect(began).toMatchObject({ status: 'rejected', reason: { name: 'DriverError', code: '42601' } })
  for (const other of others) expect(other).toMatchObject({ status: 'rejected' })
  await expect(session.send(insert, ['b', 'https://b'])).rejects.toThrow()
  await session.sendText('rollback')
  expect(stored()).toEqual([])
  await session.send(insert, ['c', 'https://c'])
  expect(stored()).toEqual(['c'])
})

it('commits nothing when a statement of the same turn failed, and prepares its statements again', async () => {
  const { session, stored } = await opened()
  const put = (name: string) => session.send(insert, [name, 'https://x'])
  const failed = [session.send(begin, []), put('a'), session.send(refused, ['b']), put('c'), session.send(commit, [])]
  const outcomes = await Promise.allSettled(failed)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'])
  expect(outcomes[2]).toMatchObject({ reason: { code: '23502' } })
  await session.sendText('rollback')
  expect(stored()).toEqual([])
  await Promise.all([session.send(begin, []), put('d'), put('e'), session.send(commit, [])])
  expect(stored()).toEqual(['d', 'e'])
  await expect(session.send(refused, ['f'])).rejects.toMatchObject({ code: '23502' })
})

it('fails a statement whose answer cannot be read, and answers the others', () => {
  const sent = [1, 2].map((n) => {
    return { statement: statement(`select ${n}`), values: [], settle: vi.fn(), fail: vi.fn() }
  })
  const unreadable = new Error('unreadable')
  const parserOf = (type: number) => (text: string) => {
    if (type === 1) throw unreadable
    return text
  }
  const batch = new Batch(sent, new Map(), parserOf)
  for (const dataTypeID of [1, 2]) {
    const field = { name: 'n', tableID: 0, columnID: 0, dataTypeSize: 8, dataTypeModifier: -1, format: 'text' }
    batch.handleRowDescription({ fields: [{ ...field, dataTypeID }] })
    batch.handleDataRow({ fields: ['7'] })
    batch.handleCommandComplete({ text: 'SELECT 1' })
  }
  batch.handleReadyForQuery()
  expect(sent[0]?.fail.mock.calls).toEqual([[unreadable]])
  expect(sent[0]?.settle).not.toHaveBeenCalled()
  expect(sent[1]?.settle.mock.calls).toEqual([[{ rows: ['7'], command: 'SELECT' }]])
})
