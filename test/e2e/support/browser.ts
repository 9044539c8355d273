import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../support/temporary.ts'

/** Where screenshots go when somebody wants to look at them, as for docs/images. */
const wanted = process.env['TENANTWATCH_SCREENSHOTS']

export interface Reader {
  readonly page: Page
  /** Errors and warnings of the console, failed requests and thrown errors, as they came. */
  readonly complaints: readonly string[]
  /** Pictures what is on the screen; with `whole` all of the page. */
  picture(name: string, whole?: boolean): Promise<void>
}

/** A browser with one page, gone when the test is. */
export async function reader(options: BrowserContextOptions = {}): Promise<Reader> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 1400 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`))
  const folder = wanted ?? temporaryFolder()
  mkdirSync(folder, { recursive: true })
  return {
    page,
    complaints,
    async picture(name, whole = false) {
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole })
    },
  }
}
