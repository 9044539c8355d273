/**
 * Main thread of the process that runs a query. The query cannot be interrupted, so a worker runs it. The process runs
 * the source of this function, so it uses only its arguments.
 *
 * The job is one line on standard input, which the caller keeps open. When it ends, so does the process, even after the
 * caller was killed.
 */
export function watchOver(load: NodeJS.Require, code: string): void {
  const { Worker } = load('node:worker_threads') as typeof import('node:worker_threads')
  const { writeFileSync, writeSync } = load('node:fs') as typeof import('node:fs')
  let told = ''
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
    told += part
    if (begun || !told.endsWith('\n')) return
    begun = true
    const job = JSON.parse(told)
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
