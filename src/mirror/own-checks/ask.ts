import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { secondMs } from '../../model/durations.ts'
import { answerOf } from './answer.ts'
import type { Job, NoAnswer, OwnAnswer, OwnQuery } from './question.ts'
import { emptyTables, ownViews } from './views.ts'

const maxText = 4 * 2 ** 20
const maxValueBytes = 2 ** 20
const maxMemoryBytes = 384 * 2 ** 20
/** JSON takes at most six bytes a character. */
const maxOutput = 8 * maxText

/** The mirror's file for one tenant, or tables without rows, to validate the query. */
export type Place = { readonly file: string; readonly tenantId: number } | 'empty'

/** A process can be killed. It only reads, sees one tenant and has no environment. @throws the signal's reason. */
export async function ask(query: OwnQuery, place: Place, signal?: AbortSignal): Promise<OwnAnswer | NoAnswer> {
  signal?.throwIfAborted()
  const child = spawn(process.execPath, ['--no-warnings', '--max-old-space-size=64', '-e', script()], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: query.timeoutMs,
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  })
  let said = ''
  let problem: string | undefined
  child.on('error', (error) => {
    problem = `its process cannot be run: ${error.message}`
  })
  // When the process ends before it has read everything, its exit gives the reason.
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.length <= maxOutput) return
    problem = 'its answer is too large'
    child.kill('SIGKILL')
  })
  const closed = once(child, 'close')
  if (child.pid !== undefined) lowerPriority(child.pid)
  child.stdin.write(`${JSON.stringify(jobOf(query, place))}\n`)
  const [code, endedBy] = await closed.catch(() => [null, null])
  signal?.throwIfAborted()
  if (problem !== undefined) return { kind: 'failed', problem }
  if (said.endsWith('\n')) return JSON.parse(said) as OwnAnswer | NoAnswer
  if (child.killed)
    return {
      kind: 'failed',
      problem: `it takes longer than ${query.timeoutMs / secondMs} s (ownChecks.timeoutSeconds)`,
    }
  return { kind: 'failed', problem: `its process ended without an answer (${endedBy ?? code ?? 'unknown'})` }
}

export async function tryQuery(query: OwnQuery): Promise<string | null> {
  const answer = await ask(query, 'empty')
  return answer.kind === 'failed' ? answer.problem : null
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It may have ended already; the priority is optional.
  }
}

export function jobOf({ text, inputs, now, tenant, maxRows }: OwnQuery, place: Place): Job {
  const isEmpty = place === 'empty'
  return {
    file: isEmpty ? null : place.file,
    emptyTables: isEmpty ? emptyTables() : [],
    views: ownViews.map(({ name, resource, columns, body }) => ({
      name,
      columns: columns.map((column) => column.name),
      body: body(isEmpty ? 0 : place.tenantId),
      undeclared: inputs.includes(resource) ? null : resource,
    })),
    query: text,
    parameters: { now: Math.trunc(now), tenant },
    maxRows,
    maxText,
    maxValueBytes,
    maxMemoryBytes,
  }
}

function script(): string {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    parentPort.postMessage((${answerOf})(require('node:sqlite'), workerData))`
  return `(${watchOver})(require, ${JSON.stringify(code)})`
}

/**
 * Source of the main thread of the process: it uses only its arguments. A worker runs the query, which cannot be
 * interrupted. Standard input stays open; when it ends, as after a kill of the caller, so does the process.
 */
function watchOver(load: NodeJS.Require, code: string): void {
  const { Worker } = load('node:worker_threads') as typeof import('node:worker_threads')
  const { writeFileSync, writeSync } = load('node:fs') as typeof import('node:fs')
  let input = ''
  let begun = false
  const die = () => process.kill(process.pid, 'SIGKILL')
  const fail = (problem: string) => {
    writeSync(1, `${JSON.stringify({ kind: 'failed', problem })}\n`)
    die()
  }
  try {
    // When memory runs short, this process is killed before the caller.
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Not Linux, or not permitted.
  }
  process.stdin.setEncoding('utf8')
  process.stdin.on('end', die)
  process.stdin.on('error', die)
  process.stdin.on('data', (part: string) => {
    input += part
    if (begun || !input.endsWith('\n')) return
    begun = true
    const job = JSON.parse(input)
    const worker = new Worker(code, { eval: true, workerData: job, resourceLimits: { maxOldGenerationSizeMb: 96 } })
    worker.on('message', (answer: unknown) => {
      process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0))
    })
    worker.on('error', (error: Error) => fail(`it cannot be run: ${error.message}`))
    setInterval(() => {
      if (process.memoryUsage.rss() > job.maxMemoryBytes)
        fail(`it takes more than ${Math.round(job.maxMemoryBytes / 2 ** 20)} MiB of memory`)
    }, 10)
  })
}
