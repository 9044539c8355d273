import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lifeDifferences, readLines, readTexts, textDifferences, writeLives, writeTexts } from './files.ts'
import { makeGoldens } from './golden.ts'
import { type LifeRecord, recordLives } from './life-record.ts'

const { values } = parseArgs({
  options: {
    /** The default: compares with what is stored. */
    check: { type: 'boolean', default: false },
    /** Stores what there is now. */
    write: { type: 'boolean', default: false },
    /** Prints the whole text of the lives, to be compared with that of another state of the code. */
    text: { type: 'boolean', default: false },
    lives: { type: 'string', default: '1-300' },
    jobs: { type: 'string', default: '2' },
    /** The share of one of several processes, such as `0/2`. */
    share: { type: 'string' },
  },
})
const [from = 1, to = from] = values.lives.split('-').map(Number)
const lives = Array.from({ length: to - from + 1 }, (_, i) => from + i)

if (values.share !== undefined) {
  const [part = 0, parts = 1] = values.share.split('/').map(Number)
  for await (const record of recordLives(lives.filter((life) => life % parts === part))) process.send?.(record)
  process.disconnect?.()
} else if (values.text) {
  for await (const { line, text } of recordLives(lives)) console.log(`${JSON.stringify(line)}\n${text}`)
} else {
  process.exitCode = await run()
}

async function run(): Promise<number> {
  const began = performance.now()
  const stored = readLines()
  const records: LifeRecord[] = []
  let differing = 0
  await recordAtOnce((record) => {
    records.push(record)
    const found = values.write ? [] : lifeDifferences(record, stored.get(record.line.life))
    if (found.length > 0) differing++
    for (const difference of found) console.log(difference)
  })
  const outputs = await makeGoldens()
  const told = new Map(records.map(({ line, text }) => [`${line.life}`, text]))
  const toldBefore = [...readTexts('lives')].filter(([life]) => told.has(life))
  const toldNow = new Map(toldBefore.map(([life]) => [life, told.get(life) ?? '']))
  if (values.write) {
    writeLives(records)
    writeTexts('outputs', outputs)
  }
  const texts = values.write
    ? []
    : [...textDifferences(toldNow, new Map(toldBefore)), ...textDifferences(outputs, readTexts('outputs'))]
  for (const difference of texts) console.log(difference)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${records.length} lives, ${differing} of them and ${texts.length} texts differ, ${seconds} s`)
  return differing + texts.length === 0 ? 0 : 1
}

async function recordAtOnce(onRecord: (record: LifeRecord) => void): Promise<void> {
  const parts = Math.min(Number(values.jobs), lives.length)
  await Promise.all(
    Array.from({ length: parts }, async (_, part) => {
      const child = fork(fileURLToPath(import.meta.url), ['--lives', values.lives, '--share', `${part}/${parts}`])
      child.on('message', (record) => onRecord(record as LifeRecord))
      // The messages that the process sent arrive before its end is known.
      const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
      if (code !== 0) throw new Error(`A process that records lives ended with ${signal ?? code}`)
    }),
  )
}
