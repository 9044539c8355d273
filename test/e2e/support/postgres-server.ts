import { spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'

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
}

export interface ServerOptions {
  /** As on the command line, without `-c`. */
  readonly settings?: readonly string[]
}

export async function postgresServer({ settings = [] }: ServerOptions = {}): Promise<PostgresServer> {
  const place = placeOf()
  const data = join(place, 'data')
  run(place, 'initdb', '-D', data, '-U', 'tenantwatch', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8')
  const port = await freePort()
  const log = join(placeOf(), 'log')
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', "unix_socket_directories=''", ...settings]
  const asOptions = options.map((one) => `-c ${one}`).join(' ')
  const url = `postgres://tenantwatch@127.0.0.1:${port}/postgres`
  const server: PostgresServer = {
    port,
    url,
    log: () => readFileSync(log, 'utf8'),
    start: () => run(place, 'pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', asOptions),
    stop: (how) => run(place, 'pg_ctl', 'stop', '-w', '-D', data, '-m', how),
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
