import { parseArgs } from 'node:util'
import { inProcesses, share } from '../support/in-processes.ts'
import { lifeDifferences, readLines, readTexts, textDifferences, writeLives, writeTexts } from './files.ts'
import { makeGoldens } from './golden.ts'
import { type LifeRecord, recordLives } from './life-record.ts'

const { values } = parseArgs({
  options: {
    /** Stores what there is now; without it, compares with what is stored. */
    write: { type: 'boolean', default: false },
    /** Prints the whole text of the lives, to be compared with that of another state of the code. */
    text: { type: 'boolean', default: false },
    lives: { type: 'string', default: '1-300' },
    jobs: { type: 'string', default: '2' },
  },
})
const [from = 1, to = from] = values.lives.split('-').map(Number)
const lives = Array.from({ length: to - from + 1 }, (_, i) => from + i)

if (share !== null) {
  for await (const record of recordLives(share)) process.send?.(record)
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
  await inProcesses(import.meta.filename, lives, Number(values.jobs), (message) => {
    const record = message as LifeRecord
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
