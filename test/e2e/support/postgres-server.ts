import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { until } from './program.ts'

const isRoot = process.getuid?.() === 0

/** A PostgreSQL server of its own, for tests that stop it. */
export interface PostgresServer {
  readonly port: number
  readonly url: string
  query<Row extends object>(text: string): Promise<Row[]>
  /** Its log so far. */
  log(): string
  /** `immediate` as a crash: what was not flushed is lost. */
  stop(how: 'fast' | 'immediate'): void
  /** @throws Error when it does not start. */
  start(): void
  /** SIGKILL. Resolves when no process of it is left that could answer. */
  kill(): Promise<void>
  /** A standby of this server, which receives what the server behind this port sends. */
  standby(from: number): Promise<PostgresServer>
  /** Makes a standby a server that writes. */
  promote(): void
}

export interface ServerOptions {
  /** As on the command line, without `-c`. */
  readonly settings?: readonly string[]
}

export async function postgresServer({ settings = [] }: ServerOptions = {}): Promise<PostgresServer> {
  const place = placeOf()
  run(place, 'initdb', '-D', join(place, 'data'), '-U', 'tenantwatch', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8')
  return serverIn(place, await freePort(), settings)
}

/** A server that was not started yet, over data that are there. */
function serverIn(place: string, port: number, settings: readonly string[]): PostgresServer {
  const data = join(place, 'data')
  const logs = placeOf()
  const log = join(logs, 'log')
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', "unix_socket_directories=''", ...settings]
  const asOptions = options.map((one) => `-c ${one}`).join(' ')
  const url = `postgres://tenantwatch@127.0.0.1:${port}/postgres`
  const server: PostgresServer = {
    port,
    url,
    log: () => readFileSync(log, 'utf8'),
    start: () => run(place, 'pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', asOptions),
    stop: (how) => run(place, 'pg_ctl', 'stop', '-w', '-D', data, '-m', how),
    promote: () => run(place, 'pg_ctl', 'promote', '-w', '-D', data),
    async kill() {
      process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
      await until(() =>
        server
          .query('select 1')
          .then(() => false)
          .catch(() => true),
      )
    },
    async standby(from) {
      const copy = placeOf()
      const source = (port: number) => `host=127.0.0.1 port=${port} user=tenantwatch`
      // Not by way of `from`: that may be a port of this process, which waits here.
      run(copy, 'pg_basebackup', '-D', join(copy, 'data'), '-d', source(port), '-R', '-c', 'fast')
      appendFileSync(join(copy, 'data/postgresql.auto.conf'), `primary_conninfo = '${source(from)}'\n`)
      return serverIn(copy, await freePort(), settings)
    },
    async query(text) {
      const client = new pg.Client({ connectionString: url }).on('error', () => {})
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end().catch(() => {})
      }
    },
  }
  server.start()
  onTestFinished(
    () => void spawnSync(...command('pg_ctl', ['stop', '-w', '-D', data, '-m', 'immediate']), { cwd: place }),
  )
  return server
}

/** A folder that the server may write to: it refuses to run as root. */
function placeOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-postgres-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (isRoot) chownSync(folder, ...idsOfPostgres())
  return folder
}

function idsOfPostgres(): [number, number] {
  const [uid, gid] = ['-u', '-g'].map((which) => Number(spawnSync('id', [which, 'postgres']).stdout.toString()))
  return [uid ?? 0, gid ?? 0]
}

function command(program: string, args: readonly string[]): [string, string[]] {
  const found = globSync(`/usr/lib/postgresql/*/bin/${program}`).at(-1)
  if (found === undefined) throw new Error('These tests need PostgreSQL of Debian: apt-get install postgresql')
  return isRoot ? ['runuser', ['-u', 'postgres', '--', found, ...args]] : [found, [...args]]
}

function run(folder: string, program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(...command(program, args), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })
}
