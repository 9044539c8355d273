/** The page works without it. It refreshes in place and shows a notice when a refresh fails. */
export const pageScript = `const main = document.getElementById('main')
const outdated = document.getElementById('outdated')
const everyMs = Number(main.dataset.refresh) * 1000
const busyTimeoutMs = 15000
let newest = 0
let next

/** Updates an element to match a fresh one and keeps equal parts, so that focus, selection and open details stay. */
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = fresh.data
    return
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.localName === 'details')) old.removeAttribute(name)
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !(name === 'open' && old.localName === 'details')) old.setAttribute(name, value)
  }
  const known = new Map([...old.children].filter(({ id }) => id !== '').map((child) => [child.id, child]))
  let here = old.firstChild
  for (const child of [...fresh.childNodes]) {
    const same = known.get(child.id)
    if (same !== undefined && same.nodeName === child.nodeName) {
      if (same === here) here = here.nextSibling
      else old.insertBefore(same, here)
      morph(same, child)
    } else if (here !== null && !here.id && !child.id && here.nodeName === child.nodeName) {
      const kept = here
      here = here.nextSibling
      morph(kept, child)
    } else old.insertBefore(child, here)
  }
  while (here !== null) {
    const rest = here
    here = here.nextSibling
    rest.remove()
  }
}

/** The first element with an id whose top is visible; it keeps its place on the screen. */
function anchor() {
  for (const one of main.querySelectorAll('[id]')) {
    const { top, height } = one.getBoundingClientRect()
    if (height > 0 && top >= 0 && top < innerHeight) return { id: one.id, top }
  }
  return null
}

function show(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html')
  if (fresh.getElementById('main') === null) throw new Error('the answer is not a status page')
  const place = anchor()
  const focused = document.activeElement?.id
  document.title = fresh.title
  addCopyButtons(fresh)
  for (const id of ['main', 'asof']) morph(document.getElementById(id), fresh.getElementById(id))
  const target = place === null ? null : document.getElementById(place.id)
  if (target !== null) scrollBy({ top: target.getBoundingClientRect().top - place.top, behavior: 'instant' })
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true })
  outdated.hidden = true
  outdated.textContent = ''
}

/** Beside each command, where the browser lets a page write to the clipboard. */
function addCopyButtons(page) {
  if (!navigator.clipboard) return
  for (const command of page.querySelectorAll('.command')) {
    const button = page.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    command.after(button)
  }
}

/** Refreshes the page; only the answer to the latest request is shown. */
async function look() {
  clearTimeout(next)
  const turn = ++newest
  try {
    const answer = await fetch(location.pathname + location.search, { signal: AbortSignal.timeout(busyTimeoutMs) })
    const text = await answer.text()
    if (turn !== newest) return
    if (!answer.ok) throw new Error('status ' + answer.status)
    show(text)
  } catch (error) {
    if (turn !== newest) return
    outdated.textContent =
      'Outdated: the page cannot be refreshed (' + (error.name === 'TimeoutError' ? 'no answer' : error.message) + '). It tries again automatically.'
    outdated.hidden = false
  }
  if (turn === newest) next = setTimeout(look, everyMs)
}

document.addEventListener('click', async ({ target }) => {
  if (!target.matches('.copy')) return
  await navigator.clipboard.writeText(target.previousElementSibling.textContent)
  target.textContent = 'Copied'
})

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) look()
})

addCopyButtons(document)
next = setTimeout(look, everyMs)
`
