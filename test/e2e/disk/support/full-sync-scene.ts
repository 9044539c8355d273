import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../../src/model/process/system-clock.ts'
import type { ApiUser, Simulator } from '../../../../src/simulator/index.ts'
import { fakeIo, type Ran } from '../../../support/fake-io.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { simulate } from '../../support/program.ts'
import { type Look, look } from './look.ts'

const pageSize = 20
const users = 3 * pageSize - 1

/** A mirror of three pages of users in which the tenant has since changed, added and removed some. */
export interface FullSyncScene {
  readonly simulator: Simulator
  readonly before: Look
  /** The result of one undisturbed full sync. */
  readonly after: Look
  /** The tenant's users in the order of the list. */
  readonly truth: readonly ApiUser[]
  readonly folder: string
  readonly args: readonly string[]
  /** Gives the work a copy of the mirror of before, and takes it away. */
  withCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T>
}

export interface Copy {
  readonly store: string
  readonly env: Readonly<Record<string, string>>
  /** A full sync that nothing disturbs, and what is there then. */
  settle(): Promise<Ran & { readonly seen: Look }>
}

/** Runs a command within this process, from the same sources: cheap, for what comes after the crash. */
const inside = (env: Readonly<Record<string, string>>, folder: string, ...args: readonly string[]) =>
  fakeIo({ env, folder }).runWith({ clock: systemClock(), random: Math.random }, ...args)

const full = ['sync', '--full', '--resource', 'users'] as const

export async function fullSyncScene(): Promise<FullSyncScene> {
  const simulator = await simulate({ sizes: { users } })
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tenantwatch.yaml'), configOf(simulator))
  const baseEnv = { ACME_TOKEN: simulator.tokens.reader, TENANTWATCH_CONFIG: 'tenantwatch.yaml' }
  const base = join(folder, 'base')
  const envOf = (store: string) => ({ ...baseEnv, TENANTWATCH_STORE_PATH: store })
  const insist = (result: Ran) => {
    if (result.code !== 0) throw new Error(`the scene could not be set: ${result.stdout}${result.stderr}`)
  }
  insist(await inside(envOf(join(base, 'mirror.db')), folder, 'sync'))
  // Everybody's role is known before, so that what a disturbed full sync has read of details leaves no other trace.
  for (let i = 0; i * 6 < users; i++) insist(await inside(envOf(join(base, 'mirror.db')), folder, ...full))
  change(simulator)

  async function withCopy<T>(work: (copy: Copy) => Promise<T>): Promise<T> {
    const own = mkdtempSync(join(folder, 'copy-'))
    cpSync(base, own, { recursive: true })
    const store = join(own, 'mirror.db')
    const env = envOf(store)
    try {
      return await work({
        store,
        env,
        settle: async () => ({ ...(await inside(env, folder, ...full)), seen: look(store) }),
      })
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
  }

  const before = await withCopy(async ({ store }) => look(store))
  const after = await withCopy(async ({ settle }) => {
    const result = await settle()
    insist(result)
    return result.seen
  })
  return { simulator, before, after, truth: [...simulator.state().users()], folder, args: full, withCopy }
}

const configOf = ({ baseUrl }: Simulator) => `
tenants:
  - name: acme
    baseUrl: ${baseUrl}
    auth: { token: { env: ACME_TOKEN } }
api: { pageSizeParameter: limit, pageSize: ${pageSize}, requestsPerSecond: 0 }
userDetails: { perRun: 6 }
log: { level: error }
`

/** Every kind of change that a full sync of users can meet, on each of the pages. */
function change({ primary }: Simulator): void {
  const all = [...primary.state.users()]
  const at = (index: number) => all[index]?.userId ?? 0
  for (const index of [3, 25, 50]) {
    const { userId, mfaStatus } = all[index] ?? { userId: 0, mfaStatus: false }
    primary.updateUser(userId, { mfaStatus: !mfaStatus, lastName: `Changed ${index}` })
  }
  for (const index of [7, 30, 44]) primary.removeUser(at(index))
  primary.addUserInTheMiddle()
  primary.addUser()
}
