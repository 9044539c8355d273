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

/** Texts on the page whose contrast is under 4.5 to 1, or 3 to 1 for large ones (WCAG 2.2, 1.4.3). */
export async function faintTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(${inPage})()`)
}

const inPage = `() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number)
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const behind = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const [r, g, b, a = 1] = channels(getComputedStyle(one).backgroundColor)
      if (a > 0) return [r, g, b]
    }
    return [255, 255, 255]
  }
  const faint = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility()) continue
    const style = getComputedStyle(element)
    const ink = channels(element.namespaceURI.endsWith('svg') ? style.fill : style.color)
    const [a, b] = [light(ink), light(behind(element))].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    const size = parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    if (ratio < (isLarge ? 3 : 4.5)) faint.add(walker.currentNode.data.trim().slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return [...faint]
}`
