import { openSync, renameSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { expect, it } from 'vitest'
import { scheduleLine } from '../../support/schedule.ts'
import { everySecond, program, type RunningDaemon, daemon as startDaemon, until, world } from '../support/program.ts'

async function running() {
  const { place } = await world({ sizes: { users: 150 } }, everySecond)
  expect(await program(place, 'sync').ended).toMatchObject({ code: 0 })
  const daemon = await startDaemon(place)
  await until(async () => (await daemon.get('/readyz')).status === 200)
  return { place, daemon, store: place.store }
}

/** An evaluation runs each second; the next one reports a fault, however long a busy machine takes for it. */
async function endOf(daemon: RunningDaemon): Promise<string> {
  const began = Date.now()
  const { code, stderr } = await daemon.ended
  expect(code).toBe(3)
  expect(Date.now() - began).toBeLessThan(30_000)
  expect(stderr).not.toMatch(/"stack"|\n\s+at /)
  const last: { readonly level: number; readonly msg: string } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')
  expect(last.level).toBe(60)
  return last.msg
}

const mischief: Readonly<Record<string, readonly [act: (store: string) => void, sentence: RegExp]>> = {
  'is deleted': [(store) => rmSync(store), / was deleted /],
  'is replaced by another file': [
    (store) => {
      writeFileSync(`${store}-new`, '')
      renameSync(`${store}-new`, store)
    },
    / was replaced /,
  ],
  'is cut short': [(store) => truncateSync(store, statSync(store).size - 3 * 4096), / is damaged /],
  'is emptied in place': [(store) => truncateSync(store, 0), / was emptied /],
  'is overwritten': [
    (store) => {
      const noise = Buffer.alloc(statSync(store).size, 'x')
      writeSync(openSync(store, 'r+'), noise, 0, noise.length, 0)
    },
    / is damaged /,
  ],
}

it.each(Object.entries(mischief))('ends with one sentence when its database %s', async (_, [act, sentence]) => {
  const { daemon, store, place } = await running()
  act(store)
  const message = await endOf(daemon)
  expect(message).toMatch(sentence)
  expect(message).toContain(`The database ${store}`)
  expect(message).toContain('restore a backup')
  // A supervisor starts it again at once, and must not be given a new mirror in silence.
  const again = await program(place, 'sync').ended
  expect(again).toMatchObject({ code: 3, stdout: '' })
  expect(again.stderr).toMatch(/^tenantwatch: The (mirror|database) .*restore a backup .*-lock/)
  expect(again.stderr.trimEnd().split('\n')).toHaveLength(1)
})

it('reports that it is not healthy as soon as its database is gone, before it exits', async () => {
  const { place } = await world({ sizes: { users: 20 } }, scheduleLine('0 3 * * *'))
  expect(await program(place, 'sync').ended).toMatchObject({ code: 0 })
  const began = Date.now() / 1000
  const daemon = await startDaemon(place)
  // What it does at the start is over; nothing else is due, so nobody but who asks notices.
  await until(async () => {
    const { text } = await daemon.get('/metrics')
    const evaluated = [...text.matchAll(/^tenantwatch_evaluation_last_timestamp_seconds\{.*\} (\S+)$/gm)]
    return evaluated.length > 0 && evaluated.every(([, at]) => Number(at) >= began)
  })
  renameSync(place.store, `${place.store}.away`)
  for (const path of ['/healthz', '/readyz']) {
    expect(await daemon.get(path)).toMatchObject({ status: 503, text: 'The database cannot be used; see the log\n' })
  }
  renameSync(`${place.store}.away`, place.store)
  expect((await daemon.get('/healthz')).status).toBe(200)
})

it('exits when its lock is deleted, so that no second engine can run beside it', async () => {
  const { daemon, store } = await running()
  rmSync(`${store}-lock`)
  expect(await endOf(daemon)).toMatch(/mirror\.db-lock was deleted .* nothing is lost, start it again$/)
})
