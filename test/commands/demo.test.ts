import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/model/process/system-clock.ts'
import { fakeIo } from '../support/fake-io.ts'
import { listening } from '../support/listening.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A terminal of 80 columns that keeps what is written; `look` is given all of it each time. */
function terminal(look: (text: string) => void = () => {}) {
  const stdout = {
    isTTY: true,
    columns: 80,
    text: '',
    write(piece: string) {
      stdout.text += piece
      look(stdout.text)
      return true
    },
  }
  return stdout
}

/** Runs the demo until it shows how to stop it. */
async function demo(...args: string[]) {
  const stop = new AbortController()
  const stdout = terminal((text) => {
    if (text.includes('Press Ctrl-C')) stop.abort()
  })
  const env = { NO_COLOR: '1' }
  const io = { stdout, stop: stop.signal, clock: systemClock(), env }
  const { code, stderr } = await fakeIo({ env, folder: temporaryFolder() }).runWith(io, 'demo', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout.text
}

it('prints few findings, commands to copy, and the address of the page', async () => {
  const text = await demo('--port', '0', '--users', '30')
  expect(text.match(/^(?:CRITICAL|HIGH) +[\da-f]{12} /gm)).toHaveLength(5)
  expect(text).toMatch(/^Status page {2}http:\/\/127\.0\.0\.1:\d+\/$/m)
  for (const command of ['findings', 'explain [\\da-f]{12}', 'report --output report.html', 'doctor'])
    expect(text).toMatch(new RegExp(`^ {2}\\S*tenantwatch ${command}$`, 'm'))
  const bodies = [...text.matchAll(/-d '([^']*)'/g)].map(([, body = '']) => JSON.parse(body) as { action: string })
  expect(bodies.map(({ action }) => action)).toEqual(['swap', 'swap', 'revoke', 'restore'])
  expect(text.trimEnd().endsWith('Stopped; the folder of this demo is deleted.')).toBe(true)
})

it('takes a free port where the wanted one cannot be used', async () => {
  const port = await listening(createServer())
  expect(await demo('--port', String(port), '--users', '3')).toContain(`Port ${port} cannot be used`)
})
