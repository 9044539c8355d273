import { expect, it, vi } from 'vitest'
import type { Kind } from '../../../src/store/postgres/beginning.ts'
import { readToShow } from '../../../src/store/postgres/lanes.ts'
import { PresentServer } from '../../../src/store/postgres/present-server.ts'
import type { Sessions } from '../../../src/store/postgres/session.ts'
import { PostgresStatement } from '../../../src/store/postgres/statement.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import { transaction } from '../../../src/store/postgres/transaction.ts'
import { ahead, askEach, ended, type SlowSteps, type Step } from '../../../src/store/steps.ts'
import { fakeSessions, quiet, waitForAbort } from './support/fake-sessions.ts'

const statement = (text: string) => new PostgresStatement<[], { n: number }>(text, text, 'objects')
const read = statement('read')
const write = statement('write')
const other = statement('other')

function failure(code: string): Error {
  return new DriverError({ code, message: `failed with ${code}` })
}

function run<T>(
  { sessions }: ReturnType<typeof fakeSessions>,
  kind: Kind,
  body: () => Step<T> | SlowSteps<T>,
  timing = quiet,
) {
  return transaction(sessions, timing, { kind, body, fence: null })
}

it('waits for the commit of writes, and for nothing before it', async () => {
  const fake = fakeSessions()
  await run(fake, 'write', function* () {
    yield* write.run()
    yield* other.run()
  })
  expect(fake.events.join(' ')).toBe('begin limits write other <begin <limits commit <write <other <commit release')
})

it('waits for what is read, and sends the begin with it', async () => {
  const fake = fakeSessions((word) => ({ rows: word === 'read' ? [{ n: 7 }, { n: 8 }] : [] }))
  const found = await run(fake, 'write', function* () {
    const one = yield* read.get()
    yield* write.run()
    return [one, yield* read.all()]
  })
  expect(found).toEqual([{ n: 7 }, [{ n: 7 }, { n: 8 }]])
  expect(fake.events.join(' ')).toBe(
    'begin limits read <begin <limits <read write read <write <read commit <commit release',
  )
})

it('waits once for what is asked ahead, in whatever order the answers are taken', async () => {
  const fake = fakeSessions((word) => ({ rows: word === 'read' ? [{ n: 7 }, { n: 8 }] : [] }))
  const found = await run(fake, 'write', function* () {
    const none = yield* ahead(other.get())
    const all = yield* ahead(read.all())
    const one = yield* read.get()
    return [one, yield* all, yield* none]
  })
  expect(found).toEqual([{ n: 7 }, [{ n: 7 }, { n: 8 }], undefined])
  expect(fake.events.join(' ')).toBe(
    'begin limits other read read <begin <limits <other <read <read commit <commit release',
  )
})

it('waits once for what is asked about several things, and for the end of what may take long', async () => {
  const fake = fakeSessions((word) => ({ rows: word === 'read' ? [{ n: 7 }] : [] }))
  const found = await run(fake, 'write', function* () {
    yield* ended(write.run())
    return yield* askEach([1, 2, 3], (key) => (key === 2 ? other.get() : read.get()))
  })
  expect(found).toEqual([{ n: 7 }, undefined, { n: 7 }])
  expect(fake.events.join(' ')).toBe(
    'begin limits write <begin <limits <write read other read <read <other <read commit <commit release',
  )
})

it('throws the failure of what was asked ahead where its answer is taken, and at the commit where nobody takes it', async () => {
  for (const isTaken of [true, false]) {
    const fake = fakeSessions((word) => (word === 'write' ? failure('23505') : { rows: [] }))
    const body = function* () {
      const asked = yield* ahead(write.get())
      if (isTaken) yield* asked
      return 'done'
    }
    await expect(run(fake, 'write', body)).rejects.toMatchObject({ code: '23505' })
    expect(fake.events).toContain('rollback')
    expect(fake.events.includes('commit')).toBe(!isTaken)
  }
})

it('reports the first failure of what nobody waited for, at the commit', async () => {
  const fake = fakeSessions((word) => {
    if (word === 'write') return failure('23505')
    return word === 'other' ? failure('25P02') : { rows: [], command: word === 'commit' ? 'ROLLBACK' : '' }
  })
  const body = function* () {
    yield* write.run()
    yield* other.run()
    return 'done'
  }
  await expect(run(fake, 'write', body)).rejects.toMatchObject({ code: '23505' })
  expect(fake.events.slice(-3)).toEqual(['rollback', '<rollback', 'release'])
})

it('reports the first failure when a later read is refused for it', async () => {
  const fake = fakeSessions((word) =>
    word === 'write' ? failure('23505') : word === 'read' ? failure('25P02') : { rows: [] },
  )
  const body = function* () {
    yield* write.run()
    return yield* read.get()
  }
  await expect(run(fake, 'write', body)).rejects.toMatchObject({ code: '23505' })
})

it('believes no commit that is answered with a rollback', async () => {
  const fake = fakeSessions((word) => ({ rows: [], command: word === 'commit' ? 'ROLLBACK' : 'SELECT' }))
  await expect(
    run(fake, 'write', function* () {
      yield* write.run()
    }),
  ).rejects.toThrow('The commit was answered with ROLLBACK')
})

it('rolls back what a body refuses, and throws its own error', async () => {
  const fake = fakeSessions()
  const body = function* () {
    yield* write.run()
    throw new RangeError('too many')
  }
  await expect(run(fake, 'write', body)).rejects.toThrow(RangeError)
  expect(fake.events).not.toContain('commit')
  expect(fake.events.slice(-3)).toEqual(['rollback', '<rollback', 'release'])
})

it('closes a connection that it cannot roll back', async () => {
  const fake = fakeSessions((word) => (word === 'begin' ? { rows: [] } : failure('ECONNRESET')))
  const body = function* () {
    yield* read.get()
  }
  await expect(run(fake, 'write', body)).rejects.toThrow('failed with ECONNRESET')
  expect(fake.events.at(-1)).toBe('close')
})

it('runs a body again after a conflict, with growing pauses', async () => {
  const slept: number[] = []
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (signal !== undefined) return waitForAbort(ms, signal)
    slept.push(ms)
    return Promise.resolve()
  }
  const fake = fakeSessions((word, times) => {
    if (word === 'write' && times === 1) return failure('40001')
    if (word === 'commit' && times === 2) return failure('40P01')
    return { rows: [] }
  })
  let bodies = 0
  const body = function* () {
    bodies++
    yield* write.run()
    return bodies
  }
  expect(await run(fake, 'write', body, { clock: { sleep }, random: () => 0 })).toBe(3)
  expect(slept).toEqual([5, 10])
})

it('gives up after six conflicts', async () => {
  const fake = fakeSessions((word) => (word === 'write' ? failure('40001') : { rows: [] }))
  const sleep = (ms: number, signal?: AbortSignal) => (signal ? waitForAbort(ms, signal) : Promise.resolve())
  let bodies = 0
  const body = function* () {
    bodies++
    yield* write.run()
  }
  const timing = { clock: { sleep }, random: () => 0 }
  await expect(run(fake, 'write', body, timing)).rejects.toThrow('failed with 40001')
  expect(bodies).toBe(6)
})

it('never runs a body again after a commit whose outcome is unknown', async () => {
  const fake = fakeSessions((word) => (word === 'commit' ? failure('ECONNRESET') : { rows: [] }))
  let bodies = 0
  const body = function* () {
    bodies++
    yield* write.run()
  }
  await expect(run(fake, 'write', body)).rejects.toThrow('failed with ECONNRESET')
  expect(bodies).toBe(1)
})

it('closes the connection of a server that is silent while an answer is due', async () => {
  const fake = fakeSessions((word) => (word === 'read' ? 'never' : { rows: [] }))
  const sleep = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  const timing = { clock: { sleep }, random: () => 0 }
  const body = function* () {
    return yield* read.get()
  }
  await expect(run(fake, 'write', body, timing)).rejects.toThrow('The database server does not answer')
  expect(fake.events.at(-1)).toBe('close')
})

it.each([
  [false, 3],
  [null, 26],
  [true, 26],
])(
  'takes a server for silent sooner that has nothing under way for the connection: served %s, %s looks',
  async (isServed, looks) => {
    const fake = fakeSessions((word) => (word === 'read' ? 'never' : { rows: [] }))
    let slept = 0
    const sleep = async () => {
      slept++
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    const distrust = vi.fn()
    const sessions: Sessions = {
      ...fake.sessions,
      take: async () => ({ ...(await fake.sessions.take()), isServed: async () => isServed, distrust }),
    }
    const body = function* () {
      return yield* read.get()
    }
    const reading = transaction(sessions, { clock: { sleep }, random: () => 0 }, { kind: 'read', body, fence: null })
    await expect(reading).rejects.toThrow('The database server does not answer')
    expect([slept, distrust.mock.calls.length, fake.events.at(-1)]).toEqual([looks, 1, 'close'])
  },
)

it('returns what was read without waiting for the end of the transaction', async () => {
  let finish = false
  const fake = fakeSessions((word) => {
    if (word === 'commit') finish = true
    return word === 'commit' ? 'never' : { rows: [{ n: 1 }] }
  })
  const body = function* () {
    return yield* read.get()
  }
  expect(await run(fake, 'read', body)).toEqual({ n: 1 })
  expect(finish).toBe(true)
  expect(fake.events).not.toContain('release')
})

it('makes every limit one of the transaction alone', async () => {
  const begun: string[] = []
  const { sessions } = fakeSessions()
  const taken: Sessions = {
    ...sessions,
    async take() {
      const session = await sessions.take()
      const send: typeof session.send = (statement, params) => {
        begun.push([statement.text, ...params].join(' | '))
        return session.send(statement, params)
      }
      return { ...session, send }
    },
  }
  const body = function* () {
    yield* read.get()
  }
  for (const kind of ['read', 'write', 'progress'] as const)
    await transaction(taken, { ...quiet, searchPath: 'here' }, { kind, body, fence: null })
  await readToShow(() => transaction(taken, quiet, { kind: 'read', body, fence: null }))
  expect(begun.filter((text) => text.startsWith('select')).pop()).toMatch(/ \| 15000 \| 5000 \| $/)
  begun.splice(begun.findLastIndex((text) => text.startsWith('begin')))
  const settings = begun.filter((text) => text.startsWith('select')).map((text) => text.replaceAll(/\s+/g, ' '))
  const found = `concat(cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint), ' ', current_setting('session_replication_role'))`
  const each = `select ${found}, set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true), set_config('lock_timeout', '8000', true), set_config('search_path', coalesce($3, current_setting('search_path')), true), set_config('array_nulls', 'on', true)`
  expect(settings).toEqual([
    `${each}, set_config('synchronous_commit', current_setting('synchronous_commit'), true) | 60000 | 5000 | here`,
    `${each}, set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, true) | 60000 | 5000 | here`,
    `${each}, set_config('synchronous_commit', 'off', true) | 60000 | 5000 | here`,
  ])
})

it('runs steps that wait for other things in between, and rolls back when such a thing fails', async () => {
  const fake = fakeSessions(() => ({ rows: [{ n: 7 }] }))
  const waiting = async (thing: () => Promise<unknown>) => {
    await run(fake, 'read', async function* (): SlowSteps<void> {
      const first = yield* read.get()
      fake.events.push(`waits with ${first?.n}`)
      await thing()
      yield* other.get()
    })
  }
  await waiting(() => new Promise((resolve) => setImmediate(resolve)))
  await vi.waitFor(() => expect(fake.events.at(-1)).toBe('release'), { timeout: 60_000 })
  expect(fake.events.splice(0)).toEqual([
    'begin',
    'limits',
    'read',
    '<begin',
    '<limits',
    '<read',
    'waits with 7',
    'other',
    '<other',
    'commit',
    '<commit',
    'release',
  ])
  await expect(waiting(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(fake.events.slice(-3)).toEqual(['rollback', '<rollback', 'release'])
})

it.each(['read', 'write'] as const)('uses no connection to another server (%s)', async (kind) => {
  const server = new PresentServer()
  server.follow('2')
  const fake = fakeSessions()
  const body = function* () {
    yield* other.get()
    throw new TypeError('What is read there makes no sense')
  }
  await expect(transaction(fake.sessions, { ...quiet, server }, { kind, body, fence: null })).rejects.toThrow(
    'leads to another database server',
  )
  expect(fake.events.at(-1)).toBe('close')
  expect(fake.events).not.toContain('commit')
  expect([server.takeDoubt(), server.takeDoubt()]).toEqual([true, false])
  expect([server.follow('1'), server.follow('1')]).toEqual([true, false])
  await transaction(fake.sessions, { ...quiet, server }, { kind, body: () => other.all(), fence: null })
  expect(fake.events.at(-1)).not.toBe('close')
})

it('writes nothing over a connection on which triggers do not fire', async () => {
  const fake = fakeSessions((word) => ({ rows: word === 'limits' ? ['1 replica'] : [] }))
  const work = (kind: Kind) => transaction(fake.sessions, quiet, { kind, body: () => other.all(), fence: null })
  for (const kind of ['write', 'progress'] as const) {
    await expect(work(kind)).rejects.toThrow('switches the triggers of the database off')
    expect(fake.events.at(-1)).toBe('close')
  }
  expect(await work('read')).toEqual([])
})
