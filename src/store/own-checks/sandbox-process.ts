import type * as Sqlite from 'node:sqlite'
import { answerOf } from './answer.ts'
import type { Message } from './question.ts'

/** The program of a sandbox, from the sources of functions, which use only their arguments. */
export function sandboxProgram(): string {
  const worker = `const { parentPort, workerData } = require('node:worker_threads')
    parentPort.postMessage((${answerOf})(require('node:sqlite'), workerData))`
  return `(${watchOver})(require, ${JSON.stringify(worker)}, ${snapshotOf})`
}

interface Snapshot {
  begin(database: string, tables: readonly string[]): void
  into(insert: string): void
  row(values: readonly Sqlite.SQLInputValue[]): void
  end(indexes: readonly string[]): void
}

/** A database in memory, which lasts as long as its connection. */
function snapshotOf({ DatabaseSync }: typeof Sqlite): Snapshot {
  let database: Sqlite.DatabaseSync | undefined
  let insert: Sqlite.StatementSync | undefined
  return {
    begin(name, tables) {
      database?.close()
      database = new DatabaseSync(name)
      for (const text of tables) database.exec(text)
      database.exec('begin')
    },
    into(text) {
      insert = database?.prepare(text)
    },
    row: (values) => void insert?.run(...values),
    end(indexes) {
      for (const text of indexes) database?.exec(text)
      database?.exec('commit')
    },
  }
}

/**
 * The main thread of the process. A worker runs each query, which cannot be interrupted. When standard input ends, as
 * after a kill of the caller, the process ends, too.
 */
function watchOver(load: NodeJS.Require, code: string, snapshotWith: typeof snapshotOf): void {
  const { Worker } = load('node:worker_threads') as typeof import('node:worker_threads')
  const { writeFileSync, writeSync } = load('node:fs') as typeof import('node:fs')
  const snapshot = snapshotWith(load('node:sqlite') as typeof Sqlite)
  let rest = ''
  let limit = Number.POSITIVE_INFINITY
  let before = 0
  let snapshotBytes = 0
  const die = () => process.kill(process.pid, 'SIGKILL')
  const fail = (problem: string) => {
    writeSync(1, `${JSON.stringify([{ kind: 'failed', problem }, problem])}\n`)
    die()
  }
  const reply = (answer: unknown) => process.stdout.write(`${JSON.stringify([answer])}\n`)
  const receive = (message: Message) => {
    if (!('kind' in message)) return snapshot.row(message as Sqlite.SQLInputValue[])
    switch (message.kind) {
      case 'begin':
        before = process.memoryUsage.rss()
        return snapshot.begin(message.database, message.tables)
      case 'into':
        return snapshot.into(message.insert)
      case 'end':
        snapshot.end(message.indexes)
        snapshotBytes = Math.max(0, process.memoryUsage.rss() - before)
        return reply({ kind: 'taken' })
      case 'query': {
        const { job } = message
        const worker = new Worker(code, { eval: true, workerData: job, resourceLimits: { maxOldGenerationSizeMb: 96 } })
        limit = job.maxMemoryBytes + snapshotBytes
        worker.on('message', reply)
        worker.on('error', (error: Error) => fail(`it cannot be run: ${error.message}`))
      }
    }
  }
  try {
    // If memory runs short, this process is killed before the caller.
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not Linux, or not permitted.
  }
  process.stdin.setEncoding('utf8')
  process.stdin.on('end', die)
  process.stdin.on('error', die)
  process.stdin.on('data', (part: string) => {
    rest += part
    if (!part.includes('\n')) return
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    try {
      for (const line of lines) receive(JSON.parse(line))
    } catch (error) {
      fail(`its snapshot of the records cannot be made: ${(error as Error).message}`)
    }
  })
  setInterval(() => {
    if (process.memoryUsage.rss() > limit)
      fail(`it takes more than ${Math.round((limit - snapshotBytes) / 2 ** 20)} MiB of memory`)
  }, 10)
}
