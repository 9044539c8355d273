import { expect, it } from 'vitest'
import { PostgresDatabase } from '../../../src/store/postgres/database.ts'
import type { Sessions } from '../../../src/store/postgres/session.ts'
import { DriverError } from '../../../src/store/postgres/store-error.ts'
import type { Steps } from '../../../src/store/steps.ts'
import { fakeSessions, quiet } from './support/fake-sessions.ts'

type Reply = Parameters<typeof fakeSessions>[0]

function world(replyTo?: Reply) {
  const fake = fakeSessions(replyTo)
  const database = new PostgresDatabase(fake.sessions, quiet)
  function* read(text = 'read'): Steps<number | undefined> {
    return yield* database.prepareValues<[], number>(text).get()
  }
  return { ...fake, database, read, seen: () => fake.events.splice(0).join(' ') }
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve))

it('reads in one transaction what is read together, also beside one another, and begins it only then', async () => {
  const { database, read, seen } = world()
  await database.readTogether(async () => {})
  expect(seen()).toBe('')
  await database.readTogether(async () => {
    await database.read(() => read('one'))
    await Promise.all([
      database.read(() => read('two')),
      database.readTogether(() => database.readOwn(() => read('three'))),
    ])
  })
  await aTurn()
  expect(seen()).toBe('begin limits one <begin <limits <one two three <two <three commit <commit release')
})

it('reads afterwards, and beside it, in transactions of their own', async () => {
  const { database, read, seen } = world()
  let later: Promise<unknown> = Promise.resolve()
  await database.readTogether(async () => {
    await database.read(() => read('one'))
    later = aTurn()
      .then(aTurn)
      .then(() => database.read(() => read('late')))
  })
  await Promise.all([later, database.read(() => read('beside'))])
  expect(seen().match(/begin/g)).toHaveLength(6)
})

it('writes beside it, in a transaction of its own', async () => {
  const { database, read, seen } = world()
  await database.readTogether(async () => {
    await database.read(() => read('one'))
    await database.run(() => database.transact('nothing', () => read('write')))
  })
  expect(seen()).toContain('begin limits write <begin <limits <write commit <commit release')
})

it('rolls back after a failure, and fails what is read after it with the cause', async () => {
  const { database, read, seen } = world((word) =>
    word === 'bad' ? new DriverError({ code: '57014', message: 'canceled' }) : { rows: [] },
  )
  const reading = database.readTogether(async () => {
    await database.read(() => read('bad')).catch(() => {})
    await database.read(() => read('next'))
  })
  await expect(reading).rejects.toThrow('took too long (57014)')
  expect(seen()).toMatch(/rollback <rollback release$/)
})

it('keeps its connection until reads that are under way have ended, whatever the work throws', async () => {
  const { database, read, seen } = world()
  const slow = function* () {
    yield* read('one')
    yield* read('two')
  }
  const work = async () => {
    await Promise.all([database.read(slow), Promise.reject(new Error('of the work'))])
  }
  await expect(database.readTogether(work)).rejects.toThrow('of the work')
  await aTurn()
  expect(seen()).toBe('begin limits one <begin <limits <one two <two commit <commit release')
})

it('reads in another transaction after a write of this process, so that nothing older is remembered', async () => {
  let value = 1
  const { database: shared, read, seen } = world((word) => ({ rows: word === 'read' ? [value] : [] }))
  const database = shared.remembering()
  await database.readTogether(async () => {
    await database.read(() => read('one'))
    await database.run(() => database.transact('nothing', () => read('write')))
    seen()
    value = 2
    expect(await database.readOwn(() => read())).toBe(2)
    expect(seen()).toMatch(/^commit begin limits read /)
  })
  await aTurn()
  seen()
  await database.readTogether(async () => expect(await database.readOwn(() => read())).toBe(2))
  expect(seen()).toBe('')
})

it('never waits for a second connection while it holds one', async () => {
  const fake = fakeSessions()
  let [free, most] = [2, 0]
  const waiting: (() => void)[] = []
  const sessions: Sessions = {
    ...fake.sessions,
    async take() {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else free--
      most = Math.max(most, 2 - free)
      const session = await fake.sessions.take()
      const release = (broken: boolean) => {
        session.release(broken)
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      }
      return { ...session, release }
    },
  }
  const tenants = [1, 2, 3, 4].map(() => new PostgresDatabase(sessions, quiet))
  const scrapes = tenants.map((database) =>
    database.readTogether(async () => {
      for (let n = 0; n < 3; n++) {
        await database.read(() => database.prepare('one').all())
        void database.run(() => database.transact('nothing', () => database.prepare('write').run()))
      }
    }),
  )
  await Promise.all(scrapes)
  expect(most).toBe(2)
})
