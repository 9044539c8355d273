import { spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'

const isRoot = process.getuid?.() === 0

/** A PostgreSQL server of its own, for tests that stop it. */
export interface PostgresServer {
  readonly url: string
  query<Row extends object>(text: string): Promise<Row[]>
  /** `immediate` as a crash: what was not flushed is lost. */
  stop(how: 'fast' | 'immediate'): void
  start(): void
}

export async function postgresServer(...settings: readonly string[]): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tenantwatch-postgres-'))
  const data = join(folder, 'data')
  // The server refuses to run as root.
  if (isRoot) chownSync(folder, ...idsOfPostgres())
  const port = await freePort()
  run(folder, 'initdb', '-D', data, '-U', 'tenantwatch', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8')
  const options = [`port=${port}`, 'listen_addresses=127.0.0.1', "unix_socket_directories=''", ...settings]
  const start = () =>
    run(
      folder,
      'pg_ctl',
      'start',
      '-w',
      '-D',
      data,
      '-l',
      join(folder, 'log'),
      '-o',
      options.map((one) => `-c ${one}`).join(' '),
    )
  const stop = (how: 'fast' | 'immediate') => run(folder, 'pg_ctl', 'stop', '-w', '-D', data, '-m', how)
  start()
  onTestFinished(() => {
    spawnSync(...command('pg_ctl', ['stop', '-w', '-D', data, '-m', 'immediate']), { cwd: folder })
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgres://tenantwatch@127.0.0.1:${port}/postgres`
  return {
    url,
    start,
    stop,
    async query(text) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
  }
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
