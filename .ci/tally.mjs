import { existsSync, readFileSync } from 'node:fs'

// Adds up vitest's JSON reports; a report that is missing, or a file that failed as a whole, counts as a failure.
let [passed, failed] = [0, 0]
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    failed += 1
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  )
  passed += report.numPassedTests
  failed += report.numFailedTests + brokenFiles.length
}
console.log(`${passed} passed, ${failed} failed`)
