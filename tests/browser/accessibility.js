// Runs in the page; gives a list of complaints.
() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (node) => node.getClientRects().length > 0;
  const name = (node) => (node.getAttribute('aria-label')
    || (node.getAttribute('aria-labelledby') || '').split(' ').map((id) => document.getElementById(id)?.textContent || '').join(' ')
    || (node.labels && node.labels[0] ? node.labels[0].textContent : '') || node.textContent || '').trim();

  if (!document.documentElement.lang) found.push('no lang');
  if (!document.title.trim()) found.push('no title');
  for (const landmark of ['header', 'main', 'footer'])
    if (all('body > ' + landmark).length !== 1) found.push('landmark: ' + landmark);
  if (all('h1').length !== 1) found.push('h1: ' + all('h1').length);

  let last = 1;
  for (const heading of all('h1,h2,h3,h4,h5,h6')) {
    const level = Number(heading.tagName[1]);
    if (level > last + 1) found.push('heading skips: ' + heading.textContent);
    if (!heading.textContent.trim()) found.push('empty heading');
    last = level;
  }
  const ids = all('[id]').map((node) => node.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push('id twice: ' + id);
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'for'])
    for (const node of all('[' + attribute + ']'))
      for (const id of node.getAttribute(attribute).split(' '))
        if (!document.getElementById(id)) found.push(attribute + ' points nowhere: ' + id);
  for (const node of all('a[href], button, input:not([type=hidden]), select, textarea, section[aria-labelledby], [role=region]'))
    if (!name(node)) found.push('no name: ' + node.outerHTML.slice(0, 80));
  for (const item of all('li')) if (!['UL', 'OL'].includes(item.parentElement.tagName)) found.push('li outside a list');
  for (const list of all('ul, ol'))
    for (const child of list.children) if (child.tagName !== 'LI') found.push('in a list: ' + child.tagName);
  for (const node of all('[tabindex]')) if (node.tabIndex > 0) found.push('positive tabindex');

  const rgba = (text) => { const parts = text.match(/[\d.]+/g).map(Number); return parts.length < 4 ? [...parts, 1] : parts; };
  const backdrop = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [255, 255, 255, 1];
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !shown(node) || node.tagName === 'OPTION') continue;
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const [a, b] = [luminance(rgba(style.color)), luminance(backdrop(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push('contrast ' + ratio.toFixed(2) + ': ' + texts.currentNode.textContent.trim().slice(0, 40));
  }
  for (const node of all('button, input:not([type=hidden]), select, textarea, .choices a'))
    if (shown(node) && node.getBoundingClientRect().height < 24) found.push('small target: ' + name(node));
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) found.push('scrolls sideways');
  return found;
}
