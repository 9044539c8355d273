/**
 * The other thread of the process that runs a query, which answers for it: the query itself cannot be interrupted. Read
 * as text, so that it can use nothing but what it is given.
 *
 * The job comes as one line on standard input, which stays open as long as somebody waits for the answer: when it ends,
 * so does the process, whichever process was killed.
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
    // Where memory runs short, this process goes, and not the one that asked.
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Another system, or one that does not let it.
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
