import { existsSync, readFileSync } from 'node:fs'

/** What a test that failed said first; the rest stands further up in the log. */
const firstLines = (messages) => (messages?.[0] ?? '').split('\n').slice(0, 6).join('\n    ')

// Adds up vitest's JSON reports and names what failed; a report that is missing, or a file that failed as a whole,
// counts as a failure.
let [passed, failed] = [0, 0]
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    failed += 1
    console.log(`No report: ${file}`)
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed += report.numPassedTests
  failed += report.numFailedTests
  for (const { name, status, message, assertionResults } of report.testResults) {
    const broken = assertionResults.filter((one) => one.status === 'failed')
    for (const { fullName, failureMessages } of broken) {
      console.log(`Failed: ${name}: ${fullName}\n    ${firstLines(failureMessages)}`)
    }
    if (status === 'failed' && !broken.length) {
      failed += 1
      console.log(`Failed: ${name}\n    ${firstLines([message])}`)
    }
  }
}
console.log(`${passed} passed, ${failed} failed`)
