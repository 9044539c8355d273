/** A shield with an eye: who watches, and what for. */
export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#2f6fdb" d="M16 1.5 28 6v9.5c0 7.3-5 12.8-12 15-7-2.2-12-7.7-12-15V6z"/><path fill="#fff" d="M16 9.5c4 0 7 2.6 8.5 6-1.5 3.4-4.5 6-8.5 6s-7-2.6-8.5-6c1.5-3.4 4.5-6 8.5-6z"/><circle cx="16" cy="15.5" r="3.4" fill="#2f6fdb"/></svg>
`
