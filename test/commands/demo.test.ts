import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { aliased, show } from '../../src/commands/demo.ts'
import { systemClock } from '../../src/model/process/system-clock.ts'
import { fakeIo } from '../support/fake-io.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { wider } from './support/on-terminal.ts'

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

it('prints few findings, commands to copy, and the address of the page last', async () => {
  const stop = new AbortController()
  const stdout = terminal((text) => {
    if (text.includes('Press Ctrl-C')) stop.abort()
  })
  const env = { NO_COLOR: '1' }
  const io = { stdout, stop: stop.signal, clock: systemClock(), env }
  const demo = fakeIo({ env, folder: temporaryFolder() })
  const { code, stderr } = await demo.runWith(io, 'demo', '--port', '0', '--users', '30')
  expect([code, stderr]).toEqual([0, ''])
  const { text } = stdout
  const lines = text.trimEnd().split('\n')
  expect(lines.at(-1)).toBe('Stopped; the folder of this demo is deleted.')
  expect(lines.at(-4)).toMatch(/^Status page {2}http:\/\/127\.0\.0\.1:\d+\/$/)
  expect(lines.filter((line) => /^ {2}[\da-f]{12} {2}/.test(line))).toHaveLength(5)
  expect(text).toContain('every 15 seconds, so findings open and\nend by themselves.\n')
  expect(wider(text, 80).filter((line) => !/^ {4}tenantwatch=/.test(line))).toEqual([])
  const bodies = [...text.matchAll(/-d '([^']*)'/g)].map(([, body = '']) => JSON.parse(body) as object)
  expect(bodies).toContainEqual(expect.objectContaining({ resource: 'api-clients', op: 'update' }))
  const commands = text.replaceAll(/ \\\n +/g, ' ').split('\n')
  const at = (words: RegExp) => commands.flatMap((line, i) => (words.test(line) ? [i] : []))
  const [swapped = 0, back] = at(/"action":"swap"/)
  expect(at(/ accept --config /)).toEqual([swapped + 2])
  expect(back).toBe(swapped + 4)
  expect(text).toMatch(/\n {2}# So that commands in their output can be copied:\n {2}alias (?:\\\n +)?tenantwatch=\S+/)
  expect(at(/ report --output report\.html /)).toHaveLength(1)
})

it('prints after the findings, within the width, which checks cannot be evaluated', async () => {
  const names = Array.from({ length: 4 }, (_, i) => `a-check-with-a-long-name-${i}`)
  const checks = [...names, 'other'].map((check) => {
    const isOther = check === 'other'
    return { check, enabled: true, status: isOther ? 'pass' : 'unknown', reason: isOther ? null : 'never' }
  })
  const entity = { type: 'a', id: 'b' }
  const finding = { fingerprint: 'f', tenant: 'demo', check: 'other', severity: 'low', entity, message: 'It fails.' }
  const open = { ...finding, state: 'open', waiver: null, evidence: {} }
  const views = {
    async *findings() {
      for (let count = 0; count < 7; count++) yield open
    },
    posture: async () => [{ tenant: 'demo', checks, holds: [] }],
  }
  const stdout = terminal()
  await show({ session: { views } } as never, { stdout, env: { NO_COLOR: '1' } } as never, ' on the page')
  const { text } = stdout
  expect(text.slice(text.indexOf('…'))).toBe(`… and 2 more on the page
demo: 4 of 5 checks cannot be evaluated (never: not completely read yet):
a-check-with-a-long-name-0, a-check-with-a-long-name-1,
a-check-with-a-long-name-2, a-check-with-a-long-name-3
`)
})

it('gives an alias that works in other folders, too', () => {
  expect(aliased('bin/tenantwatch')).toBe('"$PWD/bin/tenantwatch"')
  expect(aliased('/opt/bin/node src/main.ts')).toBe('"/opt/bin/node $PWD/src/main.ts"')
  expect(aliased('/opt/tenantwatch/bin/tenantwatch')).toBe('/opt/tenantwatch/bin/tenantwatch')
})

it('says why the wanted port cannot be used', async () => {
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const stop = new AbortController()
  const stdout = terminal((text) => {
    if (text.includes('Press Ctrl-C')) stop.abort()
  })
  const env = { NO_COLOR: '1' }
  const demo = fakeIo({ env, folder: temporaryFolder() })
  const io = { stdout, stop: stop.signal, clock: systemClock(), env }
  expect((await demo.runWith(io, 'demo', '--port', String(port), '--users', '3')).code).toBe(0)
  expect(stdout.text.replaceAll('\n', ' ')).toContain(
    ` Port ${port} cannot be used: the port is taken. Page and metrics are on port `,
  )
})
