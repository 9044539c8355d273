import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { KnownSecrets } from '../../src/api/credentials/known-secrets.ts'
import { openStores, urlOf } from '../../src/daemon/open-store.ts'
import { minuteMs, secondMs } from '../../src/model/durations.ts'
import { silentLog } from '../../src/model/log.ts'
import { temporaryFolder } from '../support/temporary.ts'

it('runs the command of store.url once a minute, and each ten seconds while the server refuses its output', async () => {
  const folder = temporaryFolder()
  const [runs, output] = [join(folder, 'runs'), join(folder, 'output')]
  let ms = 0
  const clock = { now: () => ms, monotonic: () => ms, sleep: async () => {} }
  const command = ['sh', '-c', `echo >> ${runs}; cat ${output}`]
  const url = urlOf({ command }, { clock, env: {} })
  const after = async (refused?: 'refused') => [await url(refused), readFileSync(runs).length]
  writeFileSync(output, 'postgres://old')
  expect(await after()).toEqual(['postgres://old', 1])
  writeFileSync(output, 'postgres://new')
  expect(await after()).toEqual(['postgres://old', 1])
  expect(await after('refused')).toEqual(['postgres://new', 2])
  writeFileSync(output, 'postgres://newest')
  expect(await after('refused')).toEqual(['postgres://new', 2])
  ms += 10 * secondMs
  expect(await after()).toEqual(['postgres://new', 2])
  expect(await after('refused')).toEqual(['postgres://newest', 3])
  writeFileSync(output, 'postgres://last')
  ms += minuteMs
  expect(await after()).toEqual(['postgres://last', 4])
})

it('the password of the database is masked in what tenants answer', async () => {
  const secrets = new KnownSecrets()
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }
  const sink = { write: () => true }
  const io = {
    ...{ stdout: sink, stderr: sink, env: { URL: 'postgres://u:pass%21word-of-mine@127.0.0.1:1/d' }, cwd: '/', clock },
    ...{ random: () => 0.5, stop: new AbortController().signal, onReload: () => {} },
  }
  const store = { path: null, url: { env: 'URL' } }
  await expect(openStores({ store }, 'alone', { io, log: silentLog(), secrets })).rejects.toThrow()
  const body = Buffer.from('{"x": "pass!word-of-mine"}')
  const received = { retryAfterMs: null, ageSeconds: null, date: null, receivedAt: 0, receivedMonotonic: 0 }
  const masked = await secrets.of('acme').maskIn({ kind: 'answer', status: 200, body, ...received })
  expect(masked.kind === 'answer' && String(masked.body)).toBe('{"x": "[withheld]"}')
})
