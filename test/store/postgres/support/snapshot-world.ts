import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { onTestFinished, vi } from 'vitest'
import type { Connections } from '../../../../src/store/db/postgres/pool.ts'
import { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { postgresMirror } from '../../../../src/store/db/postgres/postgres-mirror.ts'
import { type SnapshotLimits, snapshotLimits } from '../../../../src/store/db/postgres/snapshot.ts'
import { SnapshotSandboxes } from '../../../../src/store/db/postgres/snapshot-sandboxes.ts'
import { testOptions, testPostgres } from '../../../support/postgres.ts'

interface Watch {
  /** Texts sent, in order. */
  readonly sent: string[]
  /** Connections taken and not yet returned. */
  taken: number
  /** Called before each text is sent; what it throws is the answer. */
  onSend: (text: string) => void
}

/** Connections on which a test sees what is sent, and makes it fail. */
function watched(inner: Connections, watch: Watch): Connections {
  return {
    async connect() {
      const connection = await inner.connect()
      watch.taken++
      return {
        async query(query) {
          watch.sent.push(query.text)
          watch.onSend(query.text)
          return await connection.query(query)
        },
        release(isBroken) {
          watch.taken--
          connection.release(isBroken)
        },
      }
    },
    end: () => inner.end(),
  }
}

/** An engine's mirror in PostgreSQL whose snapshots a test watches. */
export function snapshotWorld(limits: Partial<SnapshotLimits> = {}) {
  const postgres = testPostgres()
  const watch: Watch = { sent: [], taken: 0, onSend: () => {} }
  const db = new PostgresDb(watched(postgres.connect(), watch), testOptions)
  const sleeping: (() => void)[] = []
  const clock = {
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeping.push(resolve)
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  const sandboxes = new SnapshotSandboxes(clock, { ...snapshotLimits, ...limits })
  const mirrorOver = (own: PostgresDb) => postgresMirror(own, { clock, sandboxes })
  const mirror = mirrorOver(db)
  /** A snapshot that is given up may end before its transaction does. */
  const settled = () =>
    vi.waitFor(() => {
      if (watch.taken > 0) throw new Error('A transaction is open')
    }, patiently)
  onTestFinished(async () => {
    watch.onSend = () => {}
    await settled()
    await mirror[Symbol.asyncDispose]()
    await sandboxes[Symbol.asyncDispose]()
    await db[Symbol.asyncDispose]()
    await postgres.drop()
  })
  return {
    ...{ mirror, mirrorOver, db, sandboxes, watch, settled },
    query: postgres.query,
    /** Pages of records read for snapshots, by table, since the last look. */
    pagesRead(): string[] {
      const tables = watch.sent.splice(0).map((text) => /, rid,.* from "(\w+)"/s.exec(text)?.[1])
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
  throw failure('ECONNREFUSED')
}

/** An error as of the driver. */
export function failure(code: string): Error {
  return Object.assign(new Error('failed'), { code })
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
