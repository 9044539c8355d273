import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/index.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { postgresServer } from './support/postgres-server.ts'
import { daemon, placeFor, program, until } from './support/program.ts'

/** The promised limit (README.md#commands). */
const promptMs = 5000

const sql = (id: string, query: string) => `-- id: ${id}
-- title: All is well
-- severity: medium
-- inputs: users

${query}
`
const endless =
  "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) as entity, 'ok' as status, '' as reason from t, users"
const fine = "select userId as entity, 'ok' as status, '' as reason from users"

type Store = 'SQLite' | 'PostgreSQL'

async function place(store: Store, files: Readonly<Record<string, string>>) {
  const simulator = await startSimulator({ controlPort: null })
  onTestFinished(() => simulator.close())
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'own'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'own', name), text)
  const made = placeFor(simulator, folder, 'ownChecks: { folder: own, timeoutSeconds: 120 }')
  const env = store === 'SQLite' ? {} : { TENANTWATCH_STORE_URL: (await postgresServer()).url }
  return { ...made, env: { ...made.env, ...env }, simulator }
}

/** The process that runs a query for this one. */
function childOf(pid: number): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return children.map(Number).find((child) => child > 0 && commandOf(child).includes('node:sqlite'))
}

const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const isGone = (pid: number) => !commandOf(pid).includes('node:sqlite')

describe.each<Store>(['SQLite', 'PostgreSQL'])('with %s', (store) => {
  it('evaluates own checks from the bundle, and reports their problems', async () => {
    const where = await place(store, { 'a.sql': sql('fine', fine), 'b.sql': sql('broken', 'select 1') })
    const ran = await program(where, 'sync').ended
    expect(ran.stderr).toContain('b.sql: its columns are 1; expected exactly entity, status and reason')
    const { stdout } = await program(where, 'metrics').ended
    expect(stdout).toContain('tenantwatch_check_status{tenant="acme",check="fine",status="pass"} 1\n')
    expect(stdout).toContain('tenantwatch_check_status{tenant="acme",check="broken",status="unknown"} 1\n')
    const check = await program(where, 'config', 'check').ended
    expect(check).toMatchObject({ code: 2, stderr: expect.stringContaining('own: b.sql: its columns are 1') })
  })

  it.runIf(existsSync('/proc'))(
    'runs a query without the environment, and ends it within 5 seconds of SIGTERM',
    async () => {
      const where = await place(store, { 'a.sql': sql('endless', endless) })
      const one = await daemon(where)
      const child = await until(() => childOf(one.pid))
      const variables = readFileSync(`/proc/${child}/environ`, 'utf8').match(/(?<=^|\0)\w+(?==)/g)
      expect(variables).toEqual(['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'])
      expect(commandOf(child)).not.toContain(where.simulator.tokens.reader)
      expect(commandOf(child)).not.toContain('recursive')
      const asked = Date.now()
      one.child.kill('SIGTERM')
      expect(await one.ended).toMatchObject({ code: 0, signal: null })
      expect(Date.now() - asked).toBeLessThan(promptMs)
      await until(() => isGone(child))
    },
  )

  it.runIf(existsSync('/proc'))('leaves no query behind when it is killed itself', async () => {
    const one = await daemon(await place(store, { 'a.sql': sql('endless', endless) }))
    const child = await until(() => childOf(one.pid))
    const asked = Date.now()
    one.child.kill('SIGKILL')
    await until(() => isGone(child))
    expect(Date.now() - asked).toBeLessThan(promptMs)
  })

  it.runIf(existsSync('/proc'))(
    'is unknown when the process of a query is killed in the middle, and evaluates the rest',
    async () => {
      const one = await daemon(await place(store, { 'a.sql': sql('endless', endless), 'b.sql': sql('fine', fine) }))
      const killed = new Set<number>()
      const metrics = await until(async () => {
        const child = childOf(one.pid)
        if (child !== undefined) {
          killed.add(child)
          process.kill(child, 'SIGKILL')
        }
        const { text } = await one.get('/metrics')
        return text.includes('check="endless",reason="check_failed"') && text
      })
      expect(killed.size).toBeGreaterThan(0)
      expect(metrics).toContain('tenantwatch_check_status{tenant="acme",check="endless",status="unknown"} 1\n')
      expect(one.stderr).toContain('a.sql: its process ended without an answer (SIGKILL)')
      expect(await one.get('/healthz')).toMatchObject({ status: 200 })
    },
  )
})
