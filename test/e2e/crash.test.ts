import { expect, it, onTestFinished } from 'vitest'
import { type RequestRecord, type Simulator, startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { daemon, placeFor, program, until } from './support/program.ts'

const users = 100_000
const pageSize = 200
const pages = users / pageSize
/** Pages of a full sync before which the engine is killed; the last one is well past the middle. */
const killAt = [137, 260, 401]
/** Prefetching has two pages on their way at most. */
const inFlight = 2

const isPage = ({ endpoint, cursor }: RequestRecord) => endpoint === '/api/public/users' && cursor !== null

/** Resolves when so many new pages were asked for; nothing is answered after that. */
function atPage(simulator: Simulator, cursors: readonly string[], page: number, kill: () => void): void {
  const end = simulator.onRequest((request) => {
    if (!isPage(request) || new Set(cursors).size < page) return
    end()
    kill()
  })
}

it('continues after kill -9 during a first full sync, and fetches no page again but those in flight', async () => {
  const simulator = await startSimulator({ controlPort: null, sizes: { users }, requestLogSize: 4 * pages })
  onTestFinished(() => simulator.close())
  const place = placeFor(simulator, temporaryFolder(), 'userDetails: { perRun: 0 }')
  const cursors: string[] = []
  simulator.onRequest((request) => {
    if (isPage(request)) cursors.push(request.cursor ?? '')
  })

  for (const page of killAt) {
    const known = new Set(cursors)
    const earlier = cursors.length
    const one = await daemon(place)
    atPage(simulator, cursors, page, () => one.child.kill('SIGKILL'))
    expect(await one.ended).toMatchObject({ signal: 'SIGKILL' })
    const again = cursors.slice(earlier).filter((cursor) => known.has(cursor))
    expect(again.length, `pages fetched twice after the kill before page ${page}`).toBeLessThanOrEqual(inFlight)
  }

  const last = await daemon(place)
  await until(async () => {
    const { text } = await last.get('/metrics')
    return /^tenantwatch_sync_up\{tenant="acme",resource="users",mode="full"\} 1$/m.test(text)
  })
  expect(new Set(cursors).size).toBeGreaterThanOrEqual(pages - 1)
  expect(cursors.length - new Set(cursors).size).toBeLessThanOrEqual(killAt.length * inFlight)
  last.child.kill('SIGTERM')
  expect(await last.ended).toMatchObject({ code: 0 })

  const { stdout } = await program(place, 'export', 'users').ended
  const mirrored = stdout.trimEnd().split('\n')
  const truth = [...simulator.state().users()].toSorted((a, b) => a.userId - b.userId)
  expect(mirrored).toHaveLength(users)
  const shown = (user: object) => JSON.stringify({ ...user, roleId: null })
  expect(mirrored.every((line, i) => shown(JSON.parse(line)) === shown(truth[i] ?? {}))).toBe(true)
})
