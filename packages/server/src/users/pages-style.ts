/** The stylesheet of the pages that work without script: the dashboard's colours, as the browser prefers them. */
export const PAGES_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f3;
  --surface: #ffffff;
  --line: #dde3df;
  --line-strong: #84918b;
  --ink: #14201e;
  --ink-2: #51605c;
  --accent: #0b6b63;
  --accent-strong: #084f49;
  --on-accent: #ffffff;
  --bad: #b3261e;
  --bad-soft: #fce8e6;
  --shadow: 0 1px 2px rgb(20 32 30 / 6%), 0 4px 16px rgb(20 32 30 / 5%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1312;
    --surface: #171e1c;
    --line: #2a3431;
    --line-strong: #6b7a75;
    --ink: #e6edea;
    --ink-2: #a3b2ad;
    --accent: #5fcbb9;
    --accent-strong: #8fe0d2;
    --on-accent: #06201c;
    --bad: #ff9a91;
    --bad-soft: #3b1a18;
    --shadow: 0 1px 2px rgb(0 0 0 / 30%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: grid;
  align-content: center;
  justify-items: center;
  gap: 24px;
  padding: 24px 16px;
  background: var(--ground);
  color: var(--ink);
  font: 400 16px / 1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
.brand { display: flex; align-items: center; gap: 10px; font-size: 18px; font-weight: 640; letter-spacing: -0.01em; }
.brand svg { width: 32px; height: 32px; display: block; }
main {
  width: 100%;
  max-width: 400px;
  padding: 28px 24px;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 14px;
  box-shadow: var(--shadow);
}
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.25; font-weight: 680; letter-spacing: -0.01em; }
p { margin: 0 0 16px; color: var(--ink-2); overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:hover { color: var(--accent-strong); }
form { display: grid; gap: 16px; margin-top: 20px; }
label { display: grid; gap: 6px; font-weight: 560; font-size: 15px; }
label span { font-weight: 400; color: var(--ink-2); font-size: 14px; }
input {
  width: 100%;
  min-height: 44px;
  padding: 8px 12px;
  font: inherit;
  font-weight: 400;
  color: inherit;
  background: var(--ground);
  border: 1px solid var(--line-strong);
  border-radius: 9px;
}
button {
  min-height: 44px;
  padding: 8px 16px;
  font: inherit;
  font-weight: 600;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid transparent;
  border-radius: 9px;
  cursor: pointer;
}
button:hover { background: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.fine { margin-top: 20px; font-size: 14px; }
.problem {
  margin: 16px 0 0;
  padding: 10px 14px;
  color: var(--bad);
  background: var(--bad-soft);
  border-radius: 9px;
}
`.trimStart()
