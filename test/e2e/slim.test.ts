import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, until } from './support/program.ts'

/** Runs before the program and writes down what it needed, when it ends. */
const probe = `
const used = []
for (const name of Object.keys(Object.getOwnPropertyDescriptors(Intl))) {
  const real = Intl[name]
  if (typeof real !== 'function' || real.prototype === undefined) continue
  const note = (make) => (...args) => (used.push(name), make(...args))
  Intl[name] = new Proxy(real, { construct: note(Reflect.construct), apply: note(Reflect.apply) })
}
process.on('exit', () => {
  const loaded = process.moduleLoadList.filter((name) => /undici|webstreams.readable/.test(name))
  writeFileSync('needed.json', JSON.stringify({ used, loaded }))
})`

async function neededWith(more: string) {
  const simulator = await startSimulator({ controlPort: null, sizes: { users: 30 } })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder(), more)
  writeFileSync(join(place.folder, 'probe.mjs'), probe)
  const one = await daemon({ ...place, env: { ...place.env, NODE_OPTIONS: '--import=./probe.mjs' } })
  await until(async () => (await one.get('/readyz')).status === 200)
  for (const path of ['/metrics', '/healthz', '/', '/api/v1/findings']) expect((await one.get(path)).status).toBe(200)
  one.child.kill('SIGTERM')
  expect(await one.ended).toMatchObject({ code: 0 })
  return JSON.parse(readFileSync(join(place.folder, 'needed.json'), 'utf8'))
}

it('runs without the parts of Node that would stay in memory: its fetch, and its tables of languages and zones', async () => {
  expect(await neededWith('')).toEqual({ used: [], loaded: [] })
})

it('asks the tables of zones where the schedule is read in another one', async () => {
  const { used } = await neededWith('schedule: { timezone: Asia/Kolkata }')
  expect(new Set(used)).toEqual(new Set(['DateTimeFormat']))
})
