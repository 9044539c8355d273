import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { onTestFinished, vi } from 'vitest'
import { PostgresDatabase } from '../../../../src/store/postgres/database.ts'
import { postgresMirror } from '../../../../src/store/db/postgres/postgres-mirror.ts'
import { type SnapshotLimits, snapshotLimits } from '../../../../src/store/db/postgres/snapshot.ts'
import { SnapshotSandboxes } from '../../../../src/store/db/postgres/snapshot-sandboxes.ts'
import { DriverError } from '../../../../src/store/db/postgres/store-error.ts'
import { testPostgres, testTiming } from '../../../support/postgres.ts'
import { watchedSessions } from './watched-sessions.ts'

/** An engine's mirror in PostgreSQL whose snapshots a test watches. */
export function snapshotWorld(limits: Partial<SnapshotLimits> = {}) {
  const postgres = testPostgres()
  const sessions = watchedSessions(postgres.connect())
  const database = new PostgresDatabase(sessions, testTiming)
  const sleeping: (() => void)[] = []
  const clock = {
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeping.push(resolve)
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  const sandboxes = new SnapshotSandboxes(clock, { ...snapshotLimits, ...limits })
  const mirrorOver = (own: PostgresDatabase) =>
    postgresMirror({ database: own, async [Symbol.asyncDispose]() {} }, { sandboxes })
  const mirror = mirrorOver(database)
  /** A snapshot that is given up may end before its transaction does. */
  const settled = () =>
    vi.waitFor(() => {
      if (sessions.watch.taken > 0) throw new Error('A transaction is open')
    }, patiently)
  onTestFinished(async () => {
    sessions.watch.onSend = () => {}
    await settled()
    await mirror[Symbol.asyncDispose]()
    await sandboxes[Symbol.asyncDispose]()
    await sessions[Symbol.asyncDispose]()
    await postgres.drop()
  })
  return {
    mirror,
    mirrorOver,
    database,
    sandboxes,
    query: postgres.query,
    watch: sessions.watch,
    settled,
    /** Pages of records read for snapshots, by table, since the last look. */
    pagesRead(): string[] {
      const tables = sessions.watch.sent.splice(0).map((text) => /, rid,.* from "(\w+)"/s.exec(text)?.[1])
      return tables.filter((table) => table !== undefined)
    },
    /** Lets the time pass after which what is not used ends. */
    wake(): void {
      for (const resolve of sleeping.splice(0)) resolve()
    },
  }
}

/** For a busy machine. */
export const patiently = { timeout: 60_000 }

export const isPage = (text: string) => text.includes(', rid,')

export function serverAway(): never {
  throw new DriverError({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' })
}

/** Tells processes apart only where the system has `/proc`. */
export const hasProc = existsSync('/proc/self/task')

/** The processes of sandboxes that this process started. */
export function sandboxProcesses(): number[] {
  const children = readdirSync('/proc/self/task').flatMap((task) =>
    textOf(`/proc/self/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  )
  return children.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('node:sqlite'))
}

const pseudoFolders = ['/dev/', '/proc/', '/sys/']

/** Open files with a place on a disk; the C library may read settings of the kernel meanwhile. */
export function filesOf(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  return links.filter((link) => link.startsWith('/') && !pseudoFolders.some((folder) => link.startsWith(folder)))
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // It was closed meanwhile.
    return ''
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}
